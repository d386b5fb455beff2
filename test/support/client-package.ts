/** A project outside this repository in which `facteur/client` is installed as it is packed. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { here } from './service.ts'

/**
 * Makes an empty folder such a project; `others` are packages of this repository that it uses too,
 * as they come from the registry.
 */
export async function installClient(
  project: string,
  others: readonly string[] = [],
): Promise<void> {
  await mkdir(join(project, 'node_modules'))
  await symlink(join(here, 'client'), join(project, 'node_modules', 'facteur'))
  for (const name of others)
    await symlink(join(here, 'node_modules', name), join(project, 'node_modules', name))
  await writeFile(
    join(project, 'package.json'),
    '{"name":"outside","private":true,"type":"module"}',
  )
}
