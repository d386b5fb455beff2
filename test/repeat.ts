/**
 * `npm run test:repeat -- --folder DIR [--script test] [--times 10] [--busy 2]`: plays a suite
 * until so many runs in a row were green, with busy loops beside it. Each result is a line of
 * DIR/results.tsv and each output a file, so that a call that was cut off goes on where it was. A
 * failure restarts the count, and so does another commit.
 */
import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string' },
    script: { type: 'string', default: 'test' },
    times: { type: 'string', default: '10' },
    busy: { type: 'string', default: '2' },
  },
})
const { folder, script } = options
if (folder === undefined)
  throw new Error('Name a folder for the results: npm run test:repeat -- --folder DIR')

interface Result {
  commit: string
  script: string
  busy: string
  result: string
  seconds: string
  playedAgain: string
}

const columns = ['commit', 'script', 'busy', 'result', 'seconds', 'playedAgain'] as const
const table = join(folder, 'results.tsv')
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()

mkdirSync(folder, { recursive: true })
const loops = Array.from({ length: Number(options.busy) }, () =>
  spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
)
process.on('exit', () => loops.forEach((loop) => loop.kill('SIGKILL')))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(1))

while (greenRuns() < Number(options.times)) {
  const result = await play(readResults().length + 1)
  appendFileSync(table, `${columns.map((name) => result[name]).join('\t')}\n`)
  console.log(
    `${columns.map((name) => result[name]).join('  ')}: ${greenRuns()} of ${options.times} in a row are green`,
  )
}
for (const name of openFaults())
  console.log(`An open fault, since it was played again in two runs: ${name}`)
process.exit()

function readResults(): Result[] {
  if (!existsSync(table)) return []
  const lines = readFileSync(table, 'utf8').trim().split('\n')
  return lines.map((line) => {
    const cells = line.split('\t')
    return Object.fromEntries(
      columns.map((name, at) => [name, cells[at] ?? '']),
    ) as unknown as Result
  })
}

function readOwn(): Result[] {
  return readResults().filter(
    (row) => row.commit === commit && row.script === script && row.busy === options.busy,
  )
}

function greenRuns(): number {
  const rows = readOwn()
  return rows.length - 1 - rows.findLastIndex(({ result }) => result !== 'green')
}

/** Tests that were played again in two runs. */
function openFaults(): string[] {
  const names = readOwn().flatMap(({ playedAgain }) => playedAgain.split('; ').filter(Boolean))
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
}

async function play(number: number): Promise<Result> {
  const beganMs = performance.now()
  const log = join(folder ?? '', `${number}-${script.replace(':', '-')}.log`)
  // A pipe would stay open for each process that a test has left behind.
  const output = openSync(log, 'w')
  const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', output, 'inherit'] })
  const status = await new Promise((resolve) => child.on('exit', resolve))
  closeSync(output)
  const again = [
    ...readFileSync(log, 'utf8').matchAll(/^ℹ failed first, passed when played again: (.*)$/gm),
  ].map(([, name]) => name)
  return {
    ...{ commit, script, busy: options.busy, result: status === 0 ? 'green' : 'red' },
    seconds: String(Math.round((performance.now() - beganMs) / 1000)),
    playedAgain: [...new Set(again)].join('; '),
  }
}
