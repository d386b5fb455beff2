/**
 * The operator at the command line: runs real lines and reads what they say. On an external
 * database a line runs in this process, which saves a start for each; the program around it is run
 * by those who give `run` an environment, and by embedded.test.ts.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { Writable } from 'node:stream'
import { runLine } from '../../src/main/run-operator-command.ts'
import { runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { programFile } from '../support/program.ts'
import { environmentWithoutSettings, here } from '../support/service.ts'

export interface CommandResult {
  code: number | null
  stdout: Buffer
  stderr: string
}

export interface Operator {
  /** Runs one line, such as `['workspace', 'list']`. */
  run(line: string[], env?: Record<string, string>): Promise<CommandResult>
  /** Runs it with `--json`: exit code 0, one document and nothing else on both streams. */
  json(line: string[]): Promise<unknown>
  /** Runs it with output in words: exit code 0, nothing on standard error. */
  text(line: string[]): Promise<string>
  /**
   * Runs it both ways: this exit code, one line on standard error, and with `--json` the same text
   * and this code.
   */
  refused(line: string[], expected: { code: string; exit: 1 | 2; message: RegExp }): Promise<void>
}

/** `env`: the settings, such as `DATABASE_URL`. */
export function createOperator(env: Record<string, string>): Operator {
  const run = (line: string[]): Promise<CommandResult> =>
    env['DATABASE_URL'] === undefined ? runApart(line) : runHere(line, env)
  const runApart = (line: string[], more: Record<string, string> = {}): Promise<CommandResult> =>
    runProgram([programFile, ...line], { ...env, ...more })
  return {
    run: (line, more) => (more === undefined ? run(line) : runApart(line, more)),
    async json(line) {
      const output = await run([...line, '--json'])
      assert.equal(output.code, 0, `${line.join(' ')}: ${output.stdout.toString()}${output.stderr}`)
      assert.equal(output.stderr, '')
      const document: unknown = JSON.parse(output.stdout.toString())
      assert.ok(
        isAsDocumented(document, line),
        `neither an id nor data: ${output.stdout.toString()}`,
      )
      return document
    },
    async text(line) {
      const output = await run(line)
      assert.equal(output.code, 0, `${line.join(' ')}: ${output.stderr}`)
      assert.equal(output.stderr, '')
      return output.stdout.toString()
    },
    async refused(line, { code, exit, message }) {
      // One after the other: of two commands on one data folder, the second says that it waits.
      const contacts = await run(line)
      const machines = await run([...line, '--json'])
      assert.equal(contacts.stdout.toString(), '')
      assert.match(contacts.stderr, message)
      assert.equal(
        contacts.stderr.indexOf('\n'),
        contacts.stderr.length - 1,
        `one line: ${contacts.stderr}`,
      )
      assert.deepEqual([contacts.code, machines.code], [exit, exit])
      assert.deepEqual(JSON.parse(machines.stdout.toString()), {
        error: { code, message: contacts.stderr.trimEnd() },
      })
      assert.equal(machines.stderr, '')
    },
  }
}

/**
 * docs/command-line.md: a list, or the object with its `id`; the installation has none, nor what a
 * rehearsal did not store.
 */
function isAsDocumented(document: unknown, line: string[]): boolean {
  if (Array.isArray(at(document, 'data')) || typeof at(document, 'id') === 'string') return true
  return line[0] === 'doctor' || line[0] === 'migrate' || line.includes('--dry-run')
}

async function runHere(line: string[], env: Record<string, string>): Promise<CommandResult> {
  const [stdout, stderr] = [collect(), collect()]
  const code = await runLine(line, {
    env,
    stdout: stdout.stream,
    stderr: stderr.stream,
    signal: new AbortController().signal,
  })
  return { code, stdout: stdout.whole(), stderr: stderr.whole().toString() }
}

function collect(): { stream: Writable; whole: () => Buffer } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, whole: () => Buffer.concat(chunks) }
}

/** `input`: what it reads on standard input. `program`: by default node. */
export function runProgram(
  args: string[],
  env: Record<string, string>,
  input: Buffer | null = null,
  program = process.execPath,
): Promise<CommandResult> {
  const child = spawn(program, args, {
    cwd: here,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...environmentWithoutSettings(), ...env },
  })
  child.stdin.on('error', () => undefined).end(input ?? undefined)
  const stdout: Buffer[] = []
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout: Buffer.concat(stdout), stderr }))
  })
}

/** One waiting recipient row with its message, as an accepted e-mail leaves it. */
export async function insertWaiting(
  url: string,
  workspaceId: string,
  email: string,
): Promise<void> {
  await runOn(
    url,
    `with m as (
       insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
       values (${workspaceId}, gen_random_uuid(), '{}', 'Hello', 'a@b.test', facteur_now(), '2026-11-01') returning workspace_id, id)
     insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at)
     select workspace_id, id, 0, 'to', '${email}', '${email}', 'queued', 'pending', 'transactional', facteur_now() from m`,
  )
}
