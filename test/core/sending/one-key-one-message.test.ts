/**
 * Idempotency keys: one key, one message, for any caller at any time (semantics 1, Idempotency).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allScopes } from '../../../src/contract/scopes.ts'
import { cleanUp } from '../../../src/entrypoints/workers/clean-up.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import {
  accepted,
  ledgerRow,
  post,
  read,
  startBeside,
  startRelayWorld,
  turn,
  untilNothingLeased,
} from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

const world = await startRelayWorld()
const other = await startBeside(world)
const { inlineSeconds } = world.service.settings

const keyed = (key: string) => ({ 'idempotency-key': key })
const isReplay = ({ headers }: Answer): boolean => headers.get('idempotent-replay') === 'true'
const mailsTo = (address: string) => world.peer.mails.filter((mail) => mail.to.includes(address))

test('twins of a slow hand-off, on two processes, wait for it and answer the same; one mail leaves', async () => {
  const workspace = await world.workspace('slow')
  const [atDot, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  world.answer(({ phase, line }) => {
    if (phase !== 'dot' || !line.startsWith('slow@')) return undefined
    atDot.resolve()
    return { say: '250 2.0.0 at last', after: release.promise }
  })
  let ended = 0
  const twins = Array.from({ length: 12 }, (_, index) =>
    post(index % 2 ? other : world, workspace, { to: 'slow@example.com' }, keyed('slow')).finally(
      () => ended++,
    ),
  )
  await atDot.promise
  // Calls that came after them are answered: all of them wait.
  for (const process of [world, other])
    await accepted(process, workspace, { to: 'quick@example.com' })
  assert.equal(ended, 0)
  release.resolve()
  const answers = await Promise.all(twins)
  world.answer(undefined)
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202])
  assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1)
  assert.equal(answers.filter(isReplay).length, 11)
  assert.equal(mailsTo('slow@example.com').length, 1)
})

test('twins of a refused hand-off: each is refused or sends again, and no answer names a mail that was not accepted', async () => {
  const workspace = await world.workspace('refused')
  let refusals = 0
  world.answer((moment) => {
    if (moment.phase !== 'dot') return undefined
    return ++refusals <= 2 ? '550 5.0.0 no' : '250 2.0.0 ok'
  })
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      post(index % 2 ? other : world, workspace, { to: 'twin@example.com' }, keyed('refused')),
    ),
  )
  world.answer(undefined)
  const acceptedIds = new Set(
    answers.filter(({ status }) => status === 202).map((answer) => textAt(answer, 'id')),
  )
  assert.ok(acceptedIds.size <= 1)
  for (const answer of answers)
    assert.ok([202, 502].includes(answer.status), JSON.stringify(answer.body))
  for (const process of [world, other]) await untilNothingLeased(process.service)
  for (const id of acceptedIds) assert.equal(at(await read(world, workspace, id), 'status'), 'sent')
  assert.equal(mailsTo('twin@example.com').length, acceptedIds.size)
  const me = await ask(world.baseUrl, 'GET /api/v1/me', { key: workspace.key })
  assert.equal(at(me.body, 'quota', 'used'), acceptedIds.size)
})

test('202: the key is free again after a 502, for the same content and for another', async () => {
  const workspace = await world.workspace('free again')
  const refuse = async (key: string) => {
    world.answer((moment) => (moment.phase === 'rcpt' ? '550 5.0.0 no' : undefined))
    assertRefused(await post(world, workspace, {}, keyed(key)), 'send_failed')
    world.answer(undefined)
  }
  await refuse('same')
  const again = await post(world, workspace, {}, keyed('same'))
  assertAnswered(again, 202)
  assert.equal(isReplay(again), false)
  await refuse('other')
  assertAnswered(await post(world, workspace, { subject: 'another' }, keyed('other')), 202)
})

test('202: a provider that does not answer in time; the twin answers the same, and a refusal that comes later leaves the key as it is', async () => {
  const workspace = await world.workspace('no answer')
  const late = Promise.withResolvers<void>()
  world.answer((moment) =>
    moment.phase === 'dot' ? { say: '550 5.0.0 too late', after: late.promise } : undefined,
  )
  for (const { service } of [world, other]) service.settings.inlineSeconds = 1
  const [first, twin] = await Promise.all([
    post(world, workspace, {}, keyed('late')),
    post(other, workspace, {}, keyed('late')),
  ])
  assertAnswered(first, 202)
  assertAnswered(twin, 202, { id: textAt(first, 'id') })
  for (const { service } of [world, other]) service.settings.inlineSeconds = inlineSeconds
  late.resolve()
  await until(() => world.service.sending.leasedCount() + other.service.sending.leasedCount() === 0)
  world.answer(undefined)
  assert.partialDeepStrictEqual(await read(world, workspace, textAt(first, 'id')), {
    status: 'failed',
  })
  const later = await post(world, workspace, {}, keyed('late'))
  assertAnswered(later, 202, { id: textAt(first, 'id') })
  assert.ok(isReplay(later))
})

test('202: a message in doubt answers its twin, and is repeated under its own Message-ID only', async () => {
  const workspace = await world.workspace('doubt')
  world.answer((moment) => (moment.phase === 'dot' ? 'drop' : undefined))
  const first = await post(world, workspace, { to: 'doubt@example.com' }, keyed('doubt'))
  world.answer(undefined)
  const twin = await post(world, workspace, { to: 'doubt@example.com' }, keyed('doubt'))
  assertAnswered(twin, 202, { id: textAt(first, 'id') })
  await world.run(
    `update recipient set next_at = facteur_now() where message_id = '${textAt(first, 'id')}'`,
  )
  await turn(world, workspace)
  assert.equal((await ledgerRow(world, workspace, textAt(first, 'id'))).status, 'sent')
  assert.equal(mailsTo('doubt@example.com').length, 1)
})

test('202: the key belongs to the workspace, not to the API key that it came with', async () => {
  const workspace = await world.workspace('two keys')
  const second = await workspace.makeKey(allScopes)
  const id = await accepted(world, workspace, {}, keyed('shared'))
  const answer = await post(world, { ...workspace, key: second }, {}, keyed('shared'))
  assertAnswered(answer, 202, { id })
  assert.ok(isReplay(answer))
  assertRefused(
    await post(world, { ...workspace, key: second }, { subject: 'other' }, keyed('shared')),
    'idempotency_key_reused',
  )
})

test('202: the same key in another workspace is another key', async () => {
  const [first, second] = await Promise.all([world.workspace('first'), world.workspace('second')])
  const id = await accepted(world, first, {}, keyed('common'))
  assert.notEqual(await accepted(world, second, {}, keyed('common')), id)
})

test('202: an empty key is none', async () => {
  const workspace = await world.workspace('empty')
  assert.notEqual(
    await accepted(world, workspace, {}, keyed('')),
    await accepted(world, workspace, {}, keyed('')),
  )
})

test('409 idempotency_key_reused: a batch under the key of a single message, and the other way round', async () => {
  const workspace = await world.workspace('batch')
  const message = {
    from: `hello@${workspace.domain}`,
    to: 'someone@example.com',
    subject: 'Bonjour',
    text: 'Bonjour',
  }
  const batch = (key: string, count: number) =>
    ask(world.baseUrl, 'POST /api/v1/emails/batch', {
      key: workspace.key,
      body: Array.from({ length: count }, () => message),
      headers: keyed(key),
    })
  await accepted(world, workspace, {}, keyed('single'))
  assertRefused(await batch('single', 2), 'idempotency_key_reused')
  assertAnswered(await batch('batch', 2), 202)
  assertRefused(await post(world, workspace, {}, keyed('batch')), 'idempotency_key_reused')
  assertRefused(await batch('batch', 3), 'idempotency_key_reused')
  assert.ok(isReplay(await batch('batch', 2)))
})

test('a key lives for at least 24 hours, and is deleted in time', async () => {
  const workspace = await world.workspace('kept')
  const id = await accepted(world, workspace, {}, keyed('kept'))
  await world.moveClock('24 hours')
  await cleanUp(world.service, new AbortController().signal)
  assert.equal(await accepted(world, workspace, {}, keyed('kept')), id)
  await world.moveClock('72 hours')
  await cleanUp(world.service, new AbortController().signal)
  assert.notEqual(await accepted(world, workspace, {}, keyed('kept')), id)
  await world.moveClock('0 hours')
})

test('twins of a call that admission refuses are refused alike, and leave the key free', async () => {
  const workspace = await world.workspace('admission', { monthlyQuota: 1 })
  const twins = await Promise.all(
    Array.from({ length: 6 }, () =>
      post(world, workspace, { to: ['a@example.com', 'b@example.com'] }, keyed('k')),
    ),
  )
  for (const answer of twins) assertRefused(answer, 'quota_exceeded')
  assertAnswered(await post(world, workspace, {}, keyed('k')), 202)
})
