/**
 * A move that is cut off anywhere: exactly one of the two databases is in use, and the same line
 * once more goes on.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOperator, insertWaiting, runProgram } from '../cli/facteur.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { fillMessages } from '../support/filled-database.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { programFile } from '../support/program.ts'
import { environmentWithoutSettings, here } from '../support/service.ts'

const key = Buffer.alloc(32, 7).toString('base64')
const envOf = (url: string): Record<string, string> => ({
  DATABASE_URL: url,
  FACTEUR_MASTER_KEY: key,
})
const whyNoTerminal =
  spawnSync('script', ['--version']).status === 0
    ? false
    : 'skipped: script is not installed (util-linux)'
const moved = /This installation has moved to another database/

test('killed at each step: the source is in use until the decision, the target after it; nothing is missing', async (t) => {
  const [{ url }, { url: to }] = [await freshDatabase(t), await freshDatabase(t)]
  const workspaceId = await fillMessages(url, 500)
  const copy = ['database', 'copy', '--to', to, '--yes', '--json']
  const change = (name: string): Promise<void> =>
    insertWaiting(url, String(workspaceId), `${name}@example.test`)
  const killedAt = async (name: string): Promise<void> => {
    const output = await runProgram([programFile, ...copy], {
      ...envOf(url),
      FACTEUR_FAILPOINTS: `${name}:kill`,
    })
    assert.equal(output.code, null, `${name}: ${output.stdout.toString()}${output.stderr}`)
    await createOperator(envOf(to)).refused(['workspace', 'list'], {
      ...{ code: 'failed', exit: 1, message: /This database is an unfinished copy of another one/ },
    })
  }
  for (const name of ['move.captured', 'move.copied', 'move.before_decision']) {
    await killedAt(name)
    if (name === 'move.copied')
      await createOperator(envOf(to)).refused(['restore', 'hold', '--yes'], {
        ...{
          code: 'failed',
          exit: 1,
          message: /unfinished copy of another one: .* with the settings of that one\.$/m,
        },
      })
    await change(name)
    await runOn(
      url,
      `update message set subject = '${name}' where subject = 'Message number 3' or subject like 'move.%'`,
    )
  }
  const doctor = await createOperator(envOf(url)).run(['doctor'])
  assert.match(doctor.stdout.toString(), /copy +a copy to \S+ was left behind/)
  await killedAt('move.after_decision')
  await assert.rejects(change('late'), moved)
  await createOperator(envOf(url)).refused(['workspace', 'list'], {
    code: 'failed',
    exit: 1,
    message: /^This installation has moved to /,
  })
  const result = await createOperator(envOf(url)).run(copy)
  assert.equal(result.code, 0, result.stderr)
  const done: unknown = JSON.parse(result.stdout.toString())
  assert.deepEqual([at(done, 'differing'), at(done, 'downtime_ms')], [[], null])
  const there = await runOn(
    to,
    `select count(*)::int as rows, count(*) filter (where subject = 'move.before_decision')::int as changed from message`,
  )
  assert.deepEqual(there.rows[0], { rows: 503, changed: 1 })
  assert.equal((await createOperator(envOf(to)).run(['workspace', 'list'])).code, 0)
})

test('the source is lost between the two commits of the switch: a person puts the target into use, and what was pending is held', async (t) => {
  const [{ url }, { url: to }] = [await freshDatabase(t), await freshDatabase(t)]
  await insertWaiting(url, String(await fillMessages(url, 5)), 'waits@example.test')
  const target = createOperator(envOf(to))
  const copy = [programFile, 'database', 'copy', '--to-file', '-', '--yes']
  const killed = await runProgram(
    copy,
    { ...envOf(url), FACTEUR_FAILPOINTS: 'move.before_decision:kill' },
    Buffer.from(`${to}\n`),
  )
  assert.equal(killed.code, null, killed.stderr)
  await target.refused(['workspace', 'list'], {
    ...{ code: 'failed', exit: 1, message: /If that one is lost for good: .*restore hold\.$/m },
  })
  await target.refused(['restore', 'hold'], {
    code: 'usage',
    exit: 2,
    message: /both would send the same mail: go on only if .* give --yes/,
  })
  const other = createOperator({
    ...envOf(to),
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 8).toString('base64'),
  })
  await other.refused(['restore', 'hold', '--yes'], {
    code: 'failed',
    exit: 1,
    message: /is not the key/,
  })
  const withheld = await target.json(['restore', 'hold', '--yes'])
  assert.equal(at(withheld, 'data', '0', 'mails'), 1)
  assert.equal((await runOn(to, 'select from pg_constraint where not convalidated')).rowCount, 0)
  assert.equal(((await target.json(['workspace', 'list'])) as { data: unknown[] }).data.length, 1)
})

test(
  'no at the question: nothing is switched. Given up: nothing of the copy is left in the database',
  { skip: whyNoTerminal },
  async (t) => {
    const [{ url }, { url: to }] = [await freshDatabase(t), await freshDatabase(t)]
    await fillMessages(url, 5)
    await createOperator(envOf(url)).refused(['database', 'copy', '--to', to], {
      ...{ code: 'usage', exit: 2, message: /There is no terminal to ask at: give --yes/ },
    })
    const file = join(makeTemporaryFolder('target'), 'url')
    writeFileSync(file, to)
    const output = await answerAtTerminal(
      [process.execPath, programFile, 'database', 'copy', '--to-file', file],
      {
        ...{ env: envOf(url), question: 'Type switch to go on: ', answer: 'no' },
      },
    )
    assert.equal(output.code, 1, output.shown)
    assert.match(
      output.shown,
      /Nothing was switched\. The copy stays ready and notes what changes: the same line goes on, and --abort gives it up\./,
    )
    await runOn(url, `update message set subject = 'Still here'`)
    await createOperator(envOf(to)).refused(['workspace', 'list'], {
      code: 'failed',
      exit: 1,
      message: /is an unfinished copy/,
    })
    assert.match(
      await createOperator(envOf(url)).text(['database', 'copy', '--abort']),
      /^Given up: nothing of the copy to /,
    )
    const left = `select relname as name from pg_class where relname like 'copy\\_%' union all select proname from pg_proc where proname like 'copy\\_%'
    union all select tgname from pg_trigger where tgname like 'copy\\_%' union all select copy from database_copy`
    assert.deepEqual((await runOn(url, left)).rows, [])
  },
)

/** Runs a line at a terminal, which shows both outputs, and answers its question. */
async function answerAtTerminal(
  line: string[],
  { env, question, answer }: { env: Record<string, string>; question: string; answer: string },
): Promise<{ code: number | null; shown: string }> {
  const child = spawn('script', ['--quiet', '--return', '--command', line.join(' '), '/dev/null'], {
    ...{ cwd: here, env: { ...environmentWithoutSettings(), ...env } },
  })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const wasAsked = shown.includes(question)
    shown += text
    if (!wasAsked && shown.includes(question)) child.stdin.write(`${answer}\n`)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, shown }
}
