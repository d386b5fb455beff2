/**
 * What the runner of the tests promises: which failures are played again, and what its summary
 * holds.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { makeTemporaryFolder } from './temporary-folder.ts'
import type { TestEvent } from './test-report.ts'

const wait = "throw Object.assign(new Error('It is not so after 120 s'), { name: 'WaitEnded' })"
const assertion = "throw Object.assign(new Error('1 !== 2'), { name: 'AssertionError' })"

/** `text`: what node's reporter prints of the events. */
interface Played {
  events: TestEvent[]
  text: string
  failed: boolean
}

/** Plays one file whose test fails like this the first time, or each time. */
async function playFile(file: string, failure: string, { each = false } = {}): Promise<Played> {
  const folder = makeTemporaryFolder('report')
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(
    path,
    `import { existsSync, writeFileSync } from 'node:fs'
    import { test } from 'node:test'
    const isFirst = !existsSync('${path}.played')
    writeFileSync('${path}.played', '')
    test('a page comes', () => { if (isFirst || ${each}) ${failure} })
    test('a program is needed', { skip: 'no such program' }, () => undefined)`,
  )
  // A runner inside a test of another runner plays nothing.
  const runner = join(folder, 'run.mjs')
  writeFileSync(runner, program(file, path))
  const { stdout } = await promisify(execFile)(process.execPath, [runner], {
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  return JSON.parse(stdout)
}

const program = (file: string, path: string): string => `
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { reportOf } from '${pathToFileURL(join(import.meta.dirname, 'test-report.ts')).href}'
let failed = false
const report = reportOf(['${file}'], () => run({ files: ['${path}'] }), () => (failed = true))
const events = await Array.fromAsync(report)
const text = (await Array.fromAsync(Readable.from(events).pipe(new spec()))).join('')
console.log(JSON.stringify({ events, text, failed }))`

const messages = (events: TestEvent[]): string[] => events.flatMap(({ data }) => data.message ?? [])
const failures = (events: TestEvent[]): string[] =>
  events.flatMap(({ type, data }) => (type === 'test:fail' ? (data.name ?? '') : []))

for (const folder of ['hosts', 'world', 'referees', 'web'])
  test(`a wait of ${folder} that ended is played again; its first failure stays in the summary, whole`, async () => {
    const { events, failed } = await playFile(`test/${folder}/a.test.ts`, wait)
    assert.equal(failed, false)
    assert.deepEqual(failures(events), [])
    assert.ok(messages(events).includes('pass 1') && messages(events).includes('fail 0'))
    assert.match(
      messages(events).join('\n'),
      /failed first, passed when played again: .*a page comes\n[^]*It is not so after 120 s/,
    )
  })

test('a wait that ends twice has failed', async () => {
  const { events, text, failed } = await playFile('test/web/a.test.ts', wait, { each: true })
  assert.equal(failed, true)
  assert.match(text, /^✖ failing tests:\n[^]*✖ a page comes[^]*It is not so after 120 s/m)
  assert.ok(failures(events).includes('a page comes'))
  assert.ok(messages(events).includes('fail 1'))
})

for (const folder of ['faults', 'cells', 'moves', 'upgrades', 'core', 'mail'])
  test(`a wait of ${folder} that ended has failed, without another play`, async () => {
    const { events, failed } = await playFile(`test/${folder}/a.test.ts`, wait)
    assert.equal(failed, true)
    assert.deepEqual(failures(events), ['a page comes'])
  })

test('an assertion of the browser that failed has failed, without another play', async () => {
  const { events, text, failed } = await playFile('test/web/a.test.ts', assertion)
  assert.equal(failed, true)
  assert.match(text, /^✖ failing tests:\n[^]*✖ a page comes[^]*1 !== 2/m)
  assert.deepEqual(failures(events), ['a page comes'])
})

test('the last lines say what was skipped, and why', async () => {
  const { events } = await playFile('test/web/a.test.ts', wait)
  assert.equal(
    messages(events).at(-1),
    'skipped: test/web/a.test.ts: a program is needed: no such program',
  )
})
