// Makes sure that node_modules is what package-lock.json says, before anything else runs. Plain
// JavaScript for Node 18 and newer.
import { spawn } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

/** An error whose message is all that the reader needs: no stack trace is shown. */
export class Refusal extends Error {}

/**
 * Installs what is missing; silent and without network when nothing is.
 * `development`: also what tests and checks need. A full installation satisfies both.
 */
export async function ensureInstalled(root, { development }) {
  if (whatIsMissing(root, development) === 'nothing') return
  const release = await takeTurn({
    file: join(root, '.installing'),
    waiting: 'Another command is installing the packages; waiting for it.\n',
    refusal: (code) =>
      `Packages are missing and ${root} cannot be written (${code}): run "npm ci" there once.`,
  })
  try {
    const missing = whatIsMissing(root, development)
    if (missing !== 'nothing') await install(root, development, missing)
  } finally {
    release()
  }
}

/**
 * Compares the lockfile with what npm wrote down at the end of its last run
 * (node_modules/.package-lock.json), so that an installation by hand counts too and one that was
 * cut short does not.
 */
function whatIsMissing(root, development) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'))
  if (!installed) return 'all'
  const packages = Object.entries(readPackages(join(root, 'package-lock.json')) ?? {})
  let answer = 'nothing'
  for (const [path, { version, ...traits }] of packages) {
    if (path === '' || !isForThisMachine(traits)) continue
    const have = installed[path]
    if (have && have.version !== version) return 'all'
    if (!have && (development || !traits.dev)) answer = 'some'
  }
  return answer
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

/**
 * Whether npm installs a package of the lockfile here. An optional one that names no platform may
 * be left out, so none is asked for.
 */
function isForThisMachine({ optional, os, cpu, libc }) {
  if (!optional) return true
  if (!os || !cpu) return false
  const names = (list, name) => [list].flat().includes(name)
  return (
    names(os, process.platform) &&
    names(cpu, process.arch) &&
    (!libc || names(libc, isMusl() ? 'musl' : 'glibc'))
  )
}

/**
 * Whether this is a Linux without the GNU C library, where neither the Node nor the PostgreSQL from
 * npm run.
 */
export function isMusl() {
  return process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime
}

/**
 * Two commands started at the same moment do it one after the other; the second then finds nothing
 * left to do.
 */
export async function takeTurn({ file, waiting, refusal }) {
  for (let waited = 0; ; waited += 200) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw new Refusal(refusal(error.code))
    }
    if (waited === 0) process.stderr.write(waiting)
    await new Promise((resolve) => setTimeout(resolve, 200))
    // A file that is still empty is being written at this moment.
    const holder = readOrNothing(file)
    if (holder !== '' && !isAlive(Number(holder))) rmSync(file, { force: true })
  }
}

function readOrNothing(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * Runs npm. Something that differs or nothing at all: `npm ci`, from an empty folder. Only
 * something lacking (a service installed without what tests need): an addition, because a service
 * may be running on this very folder.
 */
async function install(root, development, missing) {
  const command = missing === 'all' ? ['ci'] : ['install', '--no-save']
  const expected = development
    ? ['--include=dev', '--include=optional']
    : ['--omit=dev', '--include=optional']
  const total = Object.entries(readPackages(join(root, 'package-lock.json')) ?? {}).filter(
    ([path, traits]) => path !== '' && isForThisMachine(traits) && (development || !traits.dev),
  ).length
  const cache = writableCache()
  const progress = showProgress(total)
  const npm = findNpm()
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-progress', '--loglevel=http']
  const child = spawn(npm[0], [...npm.slice(1), ...command, ...expected, ...quiet], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: cache.folder ? { ...process.env, npm_config_cache: cache.folder } : process.env,
  })
  // Ctrl-C reaches npm too; it ends first, and we tell.
  const ignore = () => child.kill('SIGTERM')
  process.on('SIGINT', ignore).on('SIGTERM', ignore)
  let output = ''
  const listen = (chunk) => {
    output = (output + chunk).slice(-20_000)
    progress.fetched(chunk.match(/\.tgz/g)?.length ?? 0)
  }
  child.stdout.setEncoding('utf8').on('data', listen)
  child.stderr.setEncoding('utf8').on('data', listen)
  const failure = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) =>
      resolve(code === 0 ? undefined : `npm ended with ${signal ?? code}`),
    )
  })
  process.off('SIGINT', ignore).off('SIGTERM', ignore)
  if (cache.temporary) rmSync(cache.folder, { recursive: true, force: true })
  progress.end(failure)
  if (failure)
    throw new Refusal(`The packages could not be installed: ${failure}.\n${lastWords(output)}`)
  if (whatIsMissing(root, development) !== 'nothing') {
    throw new Refusal(
      'npm left out packages that this machine needs (a download may have failed): run the command again.',
    )
  }
}

/**
 * npm beside the node that runs us, as a script, so that it works where no `npm` is on the PATH.
 */
function findNpm() {
  const named = process.env.npm_execpath
  if (named?.endsWith('npm-cli.js') && existsSync(named)) return [process.execPath, named]
  const beside = join(
    dirname(process.execPath),
    '..',
    'lib',
    'node_modules',
    'npm',
    'bin',
    'npm-cli.js',
  )
  if (existsSync(beside)) return [process.execPath, beside]
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npm'))
  const match = onPath.find((file) => existsSync(file))
  if (!match)
    throw new Refusal(
      'Packages are missing and npm was not found: install Node.js with npm, then run "npm start".',
    )
  return [match]
}

/**
 * npm's own cache where it can be written; otherwise (no home, a home of somebody else) a folder
 * for this run only.
 */
function writableCache() {
  const usual = process.env.npm_config_cache || (homedir() && join(homedir(), '.npm'))
  for (let folder = usual; folder; folder = dirname(folder)) {
    if (existsSync(folder)) {
      if (isWritable(folder) && usual !== '/.npm') return { temporary: false, folder: undefined }
      break
    }
    if (folder === dirname(folder)) break
  }
  return { temporary: true, folder: mkdtempSync(join(tmpdir(), 'facteur-npm-')) }
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * One changing line on a terminal; elsewhere a line at the start, one every ten seconds, one at the
 * end. On stderr: stdout belongs to the command.
 */
function showProgress(total) {
  const terminal = process.stderr.isTTY
  const began = performance.now()
  const seconds = () => Math.round((performance.now() - began) / 1000)
  let fetched = 0
  const line = () => `Installing packages: ${Math.min(fetched, total)} of ${total}, ${seconds()} s`
  const show = () => process.stderr.write(terminal ? `\r\x1b[2K${line()}` : `${line()}\n`)
  if (!terminal) process.stderr.write(`Installing ${total} packages (needed once).\n`)
  const timer = setInterval(show, terminal ? 250 : 10_000)
  return {
    fetched: (count) => (fetched += count),
    end: (failure) => {
      clearInterval(timer)
      if (terminal) process.stderr.write('\r\x1b[2K')
      if (!failure) process.stderr.write(`Installed ${total} packages in ${seconds()} s.\n`)
    },
  }
}

/** The last lines of npm's output, without those about each download. */
function lastWords(output) {
  const lines = output
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('npm http'))
  return lines.slice(-8).join('\n')
}
