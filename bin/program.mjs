// Finds the service as one program, and puts it together where it is missing or stale. Plain JavaScript for Node 18 and newer.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from './built-from.mjs'

const sources = ['src', 'bin/bundle.mjs', 'package-lock.json']

/** Programs that stay: one that runs loads parts of its own when it first needs them. */
const kept = 3

/**
 * Answers the file to run: eight hundred modules in a few files start in half the time (docs/decisions/0026). Each version has a
 * folder of its own, which appears whole; where none can be written, the sources themselves run. `node`: what to build with.
 */
export function ensureProgram(root, node) {
  const folder = join(root, 'dist')
  const program = join(folder, hashOf(root, sources).slice(0, 16))
  const file = join(program, 'main.js')
  if (existsSync(file)) return file
  try {
    mkdirSync(folder, { recursive: true })
    build(root, node, mkdtempSync(join(folder, '.new-')), program)
  } catch {
    return join(root, 'src', 'main.ts')
  }
  removeFormer(folder, program)
  return file
}

function build(root, node, begun, program) {
  process.stderr.write('Putting the service together (needed once for each version).\n')
  const { status } = spawnSync(node, [join(root, 'bin', 'bundle.mjs'), begun], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) {
    rmSync(begun, { recursive: true, force: true })
    throw new Error('It could not be put together')
  }
  try {
    renameSync(begun, program)
  } catch (error) {
    // Another command was quicker, and its program is the same.
    rmSync(begun, { recursive: true, force: true })
    if (!existsSync(program)) throw error
  }
}

function removeFormer(folder, program) {
  const others = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => path !== program)
    .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
  // oxlint-disable-next-line unicorn/no-array-sort -- older Node.js has no other, and the list is ours
  for (const { path } of others.sort((a, b) => b.at - a.at).slice(kept - 1)) rmSync(path, { recursive: true, force: true })
}
