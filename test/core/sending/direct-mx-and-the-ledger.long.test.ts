/**
 * Our own delivery through the whole service: how the ledger records it, and how processes share
 * their findings.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../../src/ground/clock.ts'
import { connect } from '../../../src/database/client/connect.ts'
import { createDestinationMemory } from '../../../src/providers/direct-mx/destination-memory.ts'
import type { Outcome, Provider } from '../../../src/providers/provider.ts'
import { send as handOff, startMxWorld } from '../../support/mx-world.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { freshDatabase } from '../../support/database.ts'
import {
  addSubscribers,
  campaignRow,
  draftOf,
  recipientsOf,
  send,
  untilSent,
} from '../../support/campaign-world.ts'
import { accepted, ledgerRow, post, read } from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

const mx = await startMxWorld()
const database = await freshDatabase()
const countingDb = connect({ connectionString: database.url, poolSize: 3, durable: false })
after(() => countingDb.end())
const log = { warn: () => undefined }
const memoryOf = () => createDestinationMemory({ countingDb, clock: systemClock, log })
const process = (): Provider => mx.provider({ memory: memoryOf(), log })
const world = await startApi({ provider: process(), database })
await mx.host('127.0.0.1')
const tarpit = await mx.host('127.0.0.2', {
  script: ({ phase }) => (phase === 'greet' ? 'hang' : undefined),
})
mx.domain('healthy.test', ['127.0.0.1'])
mx.domain('tarpit.test', ['127.0.0.2'])
mx.domain('down.test', ['127.0.0.90'])
mx.dns.set('null.test', { MX: [{ preference: 0, exchange: '.' }] })
mx.domain('private.test', ['10.1.2.3'])
mx.domain('broken.test', ['127.0.0.1'])
mx.dns.misbehave('broken.test', 'servfail')

/** A message once its status is another one than queued. */
const settled = (workspace: TestWorkspace, id: string): Promise<unknown> =>
  until(
    () => read(world, workspace, id),
    (email) => !JSON.stringify(email).includes('"status":"queued"'),
  )

test('by MX: accepted by the commit, then sent; no such domain and null MX bounce and are suppressed; a private host fails and is not', async () => {
  const workspace = await world.workspace('by mx')
  const ids = Object.fromEntries(
    await Promise.all(
      ['you@healthy.test', 'you@nowhere.healthy.test', 'you@null.test', 'you@private.test'].map(
        async (to) => [to, await accepted(world, workspace, { to })] as const,
      ),
    ),
  )
  assert.partialDeepStrictEqual(await settled(workspace, ids['you@healthy.test'] ?? ''), {
    status: 'sent',
  })
  // By one name server, it is believed at the second attempt.
  const row = () => ledgerRow(world, workspace, ids['you@nowhere.healthy.test'] ?? '')
  assert.match((await until(row, ({ response }) => response !== null)).response ?? '', /^4\.1\.2 /)
  await world.moveClock('2 minutes')
  assert.partialDeepStrictEqual(await settled(workspace, ids['you@nowhere.healthy.test'] ?? ''), {
    status: 'bounced',
    error: '5.1.2 the domain nowhere.healthy.test does not exist',
  })
  assert.partialDeepStrictEqual(await settled(workspace, ids['you@null.test'] ?? ''), {
    status: 'bounced',
  })
  assert.partialDeepStrictEqual(await settled(workspace, ids['you@private.test'] ?? ''), {
    status: 'failed',
  })
  assert.equal((await post(world, workspace, { to: 'you@nowhere.healthy.test' })).status, 422)
  assert.equal((await post(world, workspace, { to: 'you@null.test' })).status, 422)
  assert.equal((await post(world, workspace, { to: 'you@private.test' })).status, 202)
})

test('a look-up that fails: tried again, with an attempt counted; nothing bounces', async () => {
  const workspace = await world.workspace('servfail')
  const id = await accepted(world, workspace, { to: 'you@broken.test' })
  const row = await until(
    () => ledgerRow(world, workspace, id),
    ({ response }) => response !== null,
  )
  assert.partialDeepStrictEqual(row, { status: 'queued', state: 'pending', attempts: 1 })
  assert.match(row.response ?? '', /4\.4\.3 the mail hosts of broken\.test could not be looked up/)
  assert.ok(row.nextIn > 50)
})

test('half of a campaign is for a tarpit: the other half leaves, and so does a single mail, as if it were not there', async () => {
  const workspace = await world.workspace('beside a tarpit')
  await addSubscribers(world, workspace, 600, 'tarpit.test')
  await database.connection.count({
    name: 'half',
    text: `update subscriber set email = replace(email, 'tarpit', 'healthy') where workspace_id = ${workspace.id} and right(email::text, 13) ~ '[02468]@'`,
    values: [],
  })
  const id = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, id)).status, 202)
  const single = await accepted(world, workspace, { to: 'single@healthy.test' })
  assert.partialDeepStrictEqual(await settled(workspace, single), { status: 'sent' })
  const isHalf = (state: Awaited<ReturnType<typeof campaignRow>>): boolean => state.sent === 300
  const half = await until(() => campaignRow(world, workspace, id), isHalf)
  assert.equal(half.pending, 300, 'the tarpit has answered nobody by then')
  assert.ok(tarpit.requests.length <= 5, 'few of its connections are ours')
  const waiting = (await recipientsOf(world, workspace, id)).filter(
    ({ state: entry }) => entry === 'pending',
  )
  assert.ok(waiting.length >= 200, 'what it has no room for is in nobody’s hands')
})

test('its queue life is over: failed with the last reply; two days for a single mail', async () => {
  const workspace = await world.workspace('queue life')
  const id = await accepted(world, workspace, { to: 'you@down.test' })
  const query = () => ledgerRow(world, workspace, id)
  await until(query, ({ response, state }) => response !== null && state === 'pending')
  await world.moveClock('47 hours')
  const waiting = await until(query, ({ nextIn, state }) => state === 'pending' && nextIn > 0)
  assert.partialDeepStrictEqual(waiting, { status: 'queued' })
  await world.moveClock('49 hours')
  const email = await settled(workspace, id)
  assert.partialDeepStrictEqual(email, { status: 'failed' })
  assert.match(
    JSON.stringify(email),
    /gave up after the last temporary refusal: connection lost|ECONNREFUSED.*mx1\.down\.test 127\.0\.0\.90/,
  )
})

test('another process learns the findings of one within seconds, and a new process at its start', async () => {
  mx.domain('other-down.test', ['127.0.0.91'])
  const [first, second] = [process(), process()]
  // A process that joins others dials nobody at first: it postpones without a response. One that
  // knows the host has its response.
  await until(
    () => handOff(first, 'you@other-down.test'),
    ({ kind }) => kind === 'deferred',
  )
  await until(
    () => handOff(second, 'you@other-down.test'),
    (outcome) => outcome.kind === 'deferred' || knows(outcome),
  )
  // It may have found out by itself: then the next one knows by the database alone, which it reads
  // at its start.
  const known = Promise.withResolvers<void>()
  const memory = memoryOf()
  const watch: typeof memory.watch = (report) =>
    memory.watch((learned) => {
      report(learned)
      if (learned.name.endsWith('other-down.test')) known.resolve()
    })
  const three = mx.provider({ memory: { ...memory, watch }, log })
  await known.promise
  assert.ok(knows(await handOff(three, 'you@other-down.test')))
})

const knows = (outcome: Outcome): boolean =>
  outcome.kind === 'postponed' && outcome.response !== null

test('a campaign to a host that is down ends after four days, each recipient with the last reply', async () => {
  const workspace = await world.workspace('four days')
  await addSubscribers(world, workspace, 3, 'down.test')
  const id = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, id)).status, 202)
  await until(
    () => recipientsOf(world, workspace, id),
    (rows) => rows.every(({ state, attempts }) => state === 'pending' && attempts <= 1),
  )
  await world.moveClock('140 hours')
  assert.equal((await campaignRow(world, workspace, id)).status, 'sending')
  await world.moveClock('146 hours')
  const state = await untilSent(world, workspace, id)
  assert.partialDeepStrictEqual(state, { sent: 0, failed: 3, pending: 0 })
  for (const { error } of await recipientsOf(world, workspace, id))
    assert.match(error ?? '', /^gave up after the last temporary refusal: .*ECONNREFUSED/)
})
