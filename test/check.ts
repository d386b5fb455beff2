/**
 * `npm run check`: format, lint, types, architecture and unused code; side by side, without a
 * database, in seconds.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const programs = join(import.meta.dirname, '..', 'node_modules', '.bin')

/** The programs of `npm run check`; `mend`: the command that fixes their findings. */
const tools = [
  { name: 'format', command: [join(programs, 'oxfmt'), '--check', '.'], mend: 'npx oxfmt .' },
  { name: 'lint', command: [join(programs, 'oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'types', command: [join(programs, 'tsc'), '--noEmit', '-p', '.'] },
  { name: 'pages', command: [join(programs, 'tsc'), '--noEmit', '-p', 'web'] },
  {
    name: 'architecture',
    command: [process.execPath, '--test', '--test-reporter=spec', 'test/architecture.test.ts'],
  },
  { name: 'unused', command: [join(programs, 'knip'), '--no-progress'] },
]

const results = await Promise.all(tools.map(run))
process.exitCode = results.every((passed) => passed) ? 0 : 1

/** Runs one tool and prints one line when it is content, all that it said when not. */
async function run({
  name,
  command: [program = '', ...args],
  mend,
}: (typeof tools)[number] & { mend?: string }): Promise<boolean> {
  const began = performance.now()
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  const logged: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => logged.push(text))
  const passed = await new Promise<boolean>((resolve) => {
    child.on('error', (error) => {
      logged.push(error.message)
      resolve(false)
    })
    child.on('close', (code) => resolve(code === 0))
  })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const line = `${passed ? 'ok     ' : 'FAILED '} ${name.padEnd(8)} ${seconds} s\n`
  process.stdout.write(
    passed
      ? line
      : `\n${logged.join('').trimEnd()}\n${line}${mend ? `        mend: ${mend}\n` : ''}\n`,
  )
  return passed
}
