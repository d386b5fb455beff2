/** A project outside the house in which `facteur/client` is installed as it is built. */
import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { here } from './service.ts'

/** Makes an empty folder such a project; `others` are packages of ours that it uses too, as they come from the registry. */
export async function installClient(project: string, others: readonly string[] = []): Promise<void> {
  const folder = join(project, 'node_modules', 'facteur')
  await mkdir(folder, { recursive: true })
  await promisify(execFile)(join(here, 'node_modules/.bin/tsc'), ['-p', join(here, 'client'), '--outDir', join(folder, 'dist')])
  await symlink(join(here, 'client', 'package.json'), join(folder, 'package.json'))
  for (const name of others) await symlink(join(here, 'node_modules', name), join(project, 'node_modules', name))
  await writeFile(join(project, 'package.json'), '{"name":"outside","private":true,"type":"module"}')
}
