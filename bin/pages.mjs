// Makes sure that web/dist is built from what the sources of the pages are now. Plain JavaScript
// for Node 18 and newer.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from './built-from.mjs'
import { Refusal, takeTurn } from './install.mjs'

/**
 * The sources of the pages, from the root of the project: files that are written by hand, and the
 * installed packages.
 */
const sources = [
  'web/index.html',
  'web/build',
  'web/src',
  'web/tsconfig.json',
  'tsconfig.json',
  'src/contract',
  'package-lock.json',
]

/**
 * Builds the pages when they are missing or older than their sources; reads a few hundred files and
 * no more when they are not. `node`: the program to build them with, which runs TypeScript. Works
 * without network.
 */
export async function ensurePages(root, node) {
  const inputs = hashOf(root, sources)
  if (builtFrom(root) === inputs) return
  const release = await takeTurn({
    file: join(root, 'web', '.building'),
    waiting: 'Another command is building the pages of the workspace; waiting for it.\n',
    refusal: (code) =>
      `The pages of the workspace must be built, and ${join(root, 'web')} cannot be written (${code}): run "npm run build" once as somebody who may.`,
  })
  try {
    if (builtFrom(root) !== inputs) await build(root, node, inputs)
  } finally {
    release()
  }
}

function builtFrom(root) {
  try {
    return readFileSync(join(root, 'web', 'dist', 'built-from'), 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Builds into a new folder that then replaces the previous one: a reader meanwhile finds one of the
 * two, whole.
 */
async function build(root, node, inputs) {
  const began = performance.now()
  const seconds = () => ((performance.now() - began) / 1000).toFixed(0)
  const terminal = process.stderr.isTTY
  const show = () =>
    process.stderr.write(`\r\x1b[2KBuilding the pages of the workspace: ${seconds()} s`)
  if (!terminal)
    process.stderr.write('Building the pages of the workspace (needed once for each version).\n')
  const timer = terminal ? setInterval(show, 250) : undefined
  const folder = mkdtempSync(join(root, 'web', '.built-'))
  // The user of the service reads it, whichever user built it.
  chmodSync(folder, 0o755)
  try {
    const { failure, output } = await runBuild(root, node, [folder, inputs])
    if (failure)
      throw new Refusal(
        `The pages of the workspace could not be built: ${failure}.\n${output.trimEnd()}`,
      )
    const dist = join(root, 'web', 'dist')
    const former = `${folder}.former`
    if (existsSync(dist)) renameSync(dist, former)
    renameSync(folder, dist)
    rmSync(former, { recursive: true, force: true })
  } finally {
    clearInterval(timer)
    if (terminal) process.stderr.write('\r\x1b[2K')
    rmSync(folder, { recursive: true, force: true })
  }
  process.stderr.write(`Built the pages of the workspace in ${seconds()} s.\n`)
}

async function runBuild(root, node, args) {
  const child = spawn(node, [join(root, 'web', 'build', 'build-pages.ts'), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = () => child.kill('SIGTERM')
  process.on('SIGINT', stop).on('SIGTERM', stop)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  const failure = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) =>
      resolve(code === 0 ? undefined : `the build ended with ${signal ?? code}`),
    )
  })
  process.off('SIGINT', stop).off('SIGTERM', stop)
  return { failure, output }
}
