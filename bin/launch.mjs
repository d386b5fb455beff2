// Starts the service, or one of our TypeScript files, on a Node that runs it, after installing what
// is missing. Plain JavaScript for Node 18 and newer.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allocatorSettings } from './flags.mjs'
import { invokedAs } from './invoked-as.mjs'
import { ensureInstalled, isMusl, Refusal } from './install.mjs'
import { ensurePages } from './pages.mjs'
import { ensureProgram } from './program.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Node 24 runs TypeScript by leaving out the types, without a flag. */
const NODE_MAJOR = 24

/**
 * Runs `node [flags] file args` and ends as it ends, with what tests need too. `file` is relative
 * to the project.
 */
export const launch = ({ flags, file, args }) =>
  whenReady({ development: true }, (node) => become(node, flags, join(root, file), args))

/** Runs the service, or a command of it. `pages`: whether those of the workspace are needed. */
export const launchService = ({ flags, args, pages }) =>
  whenReady({ pages }, async (node) => {
    process.env.FACTEUR_INVOKED_AS = invokedAs(process.argv[1])
    const file = await ensureProgram(root, node)
    await become(node, flags, file, args)
  })

/** Builds what is missing or stale, and tells the file that runs the service. */
export const build = () =>
  whenReady({ pages: true }, async (node) => {
    const file = await ensureProgram(root, node)
    process.stdout.write(`${file}\n`)
    if (file.endsWith('.ts')) process.exitCode = 1
  })

async function whenReady({ development = false, pages = false }, work) {
  try {
    // Packed, this is the client alone.
    if (!existsSync(join(root, 'src', 'main.ts')))
      throw new Refusal('The service runs from its own folder, not from an installed package.')
    await ensureInstalled(root, { development })
    const node = findNode()
    if (pages) await ensurePages(root, node)
    await work(node)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

/**
 * The Node that comes with our packages; where there is none for this platform, the one that runs
 * us if it is new enough.
 */
function findNode() {
  const { platform, arch } = process
  const packages = [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]
  const ours = packages
    .map((name) => join(root, 'node_modules', name, 'bin', 'node'))
    .find((path) => existsSync(path))
  if (ours && !isMusl()) return ours
  if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR) return process.execPath
  throw new Refusal(
    `Facteur brings its own Node for Linux with glibc and macOS (x64, arm64); on ${platform}-${arch} install Node ${NODE_MAJOR} or newer and set DATABASE_URL, or use compose.yaml.`,
  )
}

/**
 * Leaving out types and compiling is half of a start: what was once compiled is kept, that of a
 * program beside it and as long as it.
 */
const withCompileCache = (file) => ({
  NODE_COMPILE_CACHE: file.endsWith('.ts')
    ? join(root, 'node_modules', '.cache', 'node')
    : join(dirname(file), 'compiled'),
})

/**
 * As many threads beside ours as there are processors: RSA signatures on more of them only get into
 * each other's way.
 */
const threads = { UV_THREADPOOL_SIZE: String(Math.max(2, availableParallelism())) }

/**
 * npm is beside the Node that runs us, and not always on the PATH of a service. It is found there
 * last.
 */
const pathWithNpm = () =>
  [process.env.PATH, dirname(process.execPath)].filter(Boolean).join(delimiter)

/**
 * Like exec: the child has our terminal, gets our signals, and its end is ours. We never end first,
 * because npm and the shell take our end for its end. The channel tells the child when we are
 * killed outright, so that it can stop too.
 */
async function become(node, flags, file, args) {
  const child = spawn(node, [...flags, file, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...withCompileCache(file),
      ...threads,
      ...allocatorSettings,
      ...process.env,
      PATH: pathWithNpm(),
    },
  })
  const pass = (signal) => child.kill(signal)
  // From a terminal the child gets Ctrl-C twice, once from the terminal and once from us: it counts
  // both as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'])
    process.on(signal, pass)
  if (process.env.npm_lifecycle_event) watchNpm(() => child.kill('SIGTERM'))
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (...end) => resolve(end))
  })
  if (signal) {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
  process.exitCode = code ?? 1
}

/**
 * npm killed outright passes nothing on: without it nobody is left to stop us, so its end is a wish
 * to stop.
 */
function watchNpm(stop) {
  const npm = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === npm) return
    clearInterval(timer)
    stop()
  }, 500)
  timer.unref()
}
