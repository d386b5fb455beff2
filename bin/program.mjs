// Finds the service as one program, and puts it together where it is missing or stale. Plain
// JavaScript for Node 18 and newer.
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { hashOf } from './built-from.mjs'
import { Refusal, takeTurn } from './install.mjs'

const sources = ['src', 'bin/bundle.mjs', 'package.json', 'package-lock.json', 'tsconfig.json']

/** Programs that stay: one that runs loads parts of its own when it first needs them. */
const keptMax = 3

/**
 * Answers the file to run: eight hundred modules in a few files start in half the time
 * (docs/decisions/0026). Each version has a folder of its own, which appears whole; where none can
 * be written, the sources themselves run. `node`: what to build with.
 */
export async function ensureProgram(root, node) {
  const folder = join(root, 'dist')
  const program = findProgram(root, folder)
  if (program) return program
  try {
    mkdirSync(folder, { recursive: true })
    const release = await takeTurn({
      file: join(folder, '.building'),
      waiting: 'Another command is putting the service together; waiting for it.\n',
      refusal: (code) => `${folder} cannot be written (${code})`,
    })
    try {
      return findProgram(root, folder) ?? build(root, node, folder)
    } finally {
      release()
    }
  } catch (error) {
    if (!(error instanceof Refusal) && !['EACCES', 'EPERM', 'EROFS'].includes(error.code))
      throw error
    process.stderr.write(
      `${error.message}: the service runs from its sources, which start more slowly. "npm run build" tries again.\n`,
    )
    return join(root, 'src', 'main.ts')
  }
}

const programOf = (root, folder) => join(folder, hashOf(root, sources).slice(0, 16))

function findProgram(root, folder) {
  const program = programOf(root, folder)
  const file = join(program, 'main.js')
  try {
    accessSync(file, constants.R_OK)
  } catch {
    return undefined
  }
  try {
    // The latest used stay, not the latest built.
    utimesSync(program, new Date(), new Date())
  } catch {
    // It is somebody else's.
  }
  return file
}

function build(root, node, folder) {
  process.stderr.write('Putting the service together (needed once for each version).\n')
  removeAll(leftovers(folder))
  for (;;) {
    const program = programOf(root, folder)
    const unfinished = mkdtempSync(join(folder, '.new-'))
    chmodSync(unfinished, 0o755)
    const { status } = spawnSync(node, [join(root, 'bin', 'bundle.mjs'), unfinished], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    // Sources that were edited meanwhile are not those that the folder would be named after.
    if (status === 0 && programOf(root, folder) === program) {
      rmSync(program, { recursive: true, force: true })
      renameSync(unfinished, program)
      removeAll(former(folder, program))
      return join(program, 'main.js')
    }
    rmSync(unfinished, { recursive: true, force: true })
    if (status !== 0) throw new Refusal('The service could not be put together')
  }
}

/** Folders of killed commands: only the one that builds holds the turn, so no other is building. */
const leftovers = (folder) =>
  readdirSync(folder).flatMap((name) => (/^\.(?:new|old)-/.test(name) ? [join(folder, name)] : []))

function former(folder, program) {
  const others = readdirSync(folder)
    .filter((name) => !name.startsWith('.') && join(folder, name) !== program)
    .map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
  return (
    others
      // oxlint-disable-next-line unicorn/no-array-sort -- older Node.js has no other, and the list is ours
      .sort((a, b) => b.at - a.at)
      .flatMap(({ path }, index) => (index < keptMax - 1 ? [] : [path]))
  )
}

/** A folder that cannot be removed stays: it does no harm. */
function removeAll(paths) {
  for (const path of paths) {
    const out = join(path, '..', `.old-${process.pid}-${Date.now()}`)
    try {
      // Renamed first, so that no process finds half of it.
      renameSync(path, out)
      rmSync(out, { recursive: true, force: true })
    } catch {
      // Of another user.
    }
  }
}
