// One hash of the sources of a build: a build is stale when its sources changed, whatever their
// dates are.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads a few hundred files. `sources`: files and folders, from the root of the project. */
export function hashOf(root, sources) {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const file of filesOf(join(root, source)))
      hash
        .update(`${file.slice(root.length)}\0`)
        .update(readFileSync(file))
        .update('\0')
  }
  return hash.digest('hex')
}

function filesOf(path) {
  if (!existsSync(path)) return []
  if (/\.\w+$/.test(path)) return [path]
  const names = readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath ?? entry.path, entry.name)] : [],
  )
  // oxlint-disable-next-line unicorn/no-array-sort -- older Node.js has no other, and the list is ours
  return names.sort()
}
