/** What becomes of mails whose thread fails: that is no fault of theirs. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createThreadReader } from '../../src/core/read-in-threads.ts'
import { systemClock as clock } from '../../src/ground/clock.ts'

const say = (what: string): string => `parentPort.postMessage({ what: ${what}, usedMs: 0 })`
const workerOf = (code: string): Worker =>
  new Worker(`const { parentPort } = require('node:worker_threads'); ${code}`, { eval: true })

const failing: [string, string][] = [
  ['cannot begin', `throw new Error('no module')`],
  ['ends', `parentPort.on('message', () => process.exit()); ${say(`'ready'`)}`],
  ['fails', `parentPort.on('message', () => { throw new Error('a fault') }); ${say(`'ready'`)}`],
]
for (const [name, code] of failing)
  test(`a thread that ${name} is an error of ours, and no answer`, async () => {
    const reader = createThreadReader({ clock, threads: 1, openWorker: () => workerOf(code) })
    for (let tries = 0; tries < 2; tries++)
      await assert.rejects(reader.read('a mail', 'a'), /The thread that read a mail ended/)
    await reader.close()
  })

test('a thread that ended while it was idle is replaced', async () => {
  const workers: Worker[] = []
  const openWorker = (): Worker => {
    const code = `parentPort.on('message', (name) => ${say('{ name }')}); ${say(`'ready'`)}`
    workers.push(workerOf(code))
    return workers.at(-1) ?? assert.fail()
  }
  const reader = createThreadReader<string, { name: string }>({ clock, threads: 1, openWorker })
  assert.deepEqual(await reader.read('one', 'a'), { name: 'one' })
  const [first] = workers
  await Promise.all([first && once(first, 'exit'), first?.terminate()])
  assert.deepEqual(await reader.read('two', 'a'), { name: 'two' })
  assert.equal(workers.length, 2)
  await reader.close()
})

test('a fault while a submitted mail is read is an error of ours, and no refusal', async () => {
  const reader = createThreadReader({
    ...{ clock, threads: 1 },
    openWorker: (file) =>
      new Worker(
        new URL('../../src/entrypoints/submission/read-submission-thread.ts', import.meta.url),
        file,
      ),
  })
  await assert.rejects(reader.read('no bytes', 'a'), ({ cause }) => cause instanceof TypeError)
  await reader.close()
})
