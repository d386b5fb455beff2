/**
 * The phase table against Postfix's `smtp-sink`, for the faults that Postfix itself never shows.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startSink, whyNoSink } from '../../support/smtp-sink.ts'
import {
  assertRow,
  clientFor,
  envelopeTo,
  freeLease,
  patienceFor,
  phaseTable,
  titleOf,
  type Fault,
  type FaultyPhase,
} from './phase-table.ts'

const options = { skip: whyNoSink === null ? false : `skipped: ${whyNoSink}` }

const sinkCommands: Partial<Record<FaultyPhase, string>> = {
  greet: 'CONNECT',
  ehlo: 'EHLO',
  mail: 'MAIL',
  rcpt: 'RCPT',
  data: 'DATA',
  dot: '.',
}
const sinkFlags: Partial<Record<Fault, (command: string) => string[]>> = {
  '4xx': (command) => ['-r', command],
  '5xx': (command) => ['-f', command],
  '421': (command) => ['-Q', command],
  drop: (command) => ['-q', command],
  // With PIPELINING it would answer the next command before the delayed one.
  hang: (command) => ['-p', '-W', `${command}:30`],
}

for (const row of phaseTable) {
  const command = sinkCommands[row.phase]
  const flags = sinkFlags[row.fault]
  if (command === undefined || flags === undefined) continue
  test(`smtp-sink: ${titleOf(row)}`, options, async (t) => {
    const port = await listen(t, flags(command))
    const client = clientFor(port, { timeouts: patienceFor(row) })
    t.after(() => client.close(0))
    assertRow(await client.handOff(envelopeTo('somebody@example.test'), freeLease), row)
  })
}

test('smtp-sink: 500 envelopes over 4 connections, all accepted', options, async (t) => {
  const client = clientFor(await listen(t), { connections: 4 })
  t.after(() => client.close(0))
  const outcomes = await Promise.all(
    Array.from({ length: 500 }, (_, at) =>
      client.handOff(envelopeTo(`r${at}@example.test`), freeLease),
    ),
  )
  assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['accepted']))
})

async function listen(t: TestContext, flags?: string[]): Promise<number> {
  const { port, stop } = await startSink(flags)
  t.after(stop)
  return port
}
