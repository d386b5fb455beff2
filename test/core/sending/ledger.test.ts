/**
 * The ledger line of a message: retries, doubt, parking, lost workers and zombies (semantics 2).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutcomeRow } from '../../../src/db/sending/outcomes.ts'
import { createRecordOutcome } from '../../../src/core/sending/record-outcome.ts'
import { suppressAddress } from '../../../src/core/suppression/suppress-address.ts'
import { runOn } from '../../support/database.ts'
import { at } from '../../support/json.ts'
import {
  accepted,
  begin,
  claim,
  ledger,
  ledgerRow,
  post,
  read,
  startBeside,
  startRelayWorld,
  turn,
  untilNothingLeased,
  type LedgerRow,
  type RelayWorld,
} from '../../support/relay-world.ts'
import type { TestWorkspace } from '../../support/api.ts'

let frozen: { name: string; arrived: () => void; thaw: Promise<void> } | null = null
const world = await startRelayWorld({
  failpoints: {
    hit(name) {
      if (frozen?.name !== name) return undefined
      frozen.arrived()
      return frozen.thaw
    },
    broken: () => false,
  },
  log: {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  },
})
const other = await startBeside(world)
const paused = await startRelayWorld({ settings: { inDoubt: 'hold' } })

const stopAt = await world.stopTime()
let offsetSeconds = 0
/** Lets the database's time pass, which stands still but for that. */
async function pass(seconds: number): Promise<void> {
  offsetSeconds += seconds
  await stopAt(offsetSeconds)
}

/** The next hand-off stops at the failpoint until it is thawed. */
function freezeAt(name: string): { arrived: Promise<void>; thaw: () => void } {
  const arrived = Promise.withResolvers<void>()
  const thaw = Promise.withResolvers<void>()
  frozen = { name, arrived: arrived.resolve, thaw: thaw.promise }
  return {
    arrived: arrived.promise,
    thaw: () => {
      frozen = null
      thaw.resolve()
    },
  }
}

/** A message of which nothing has been tried: scheduled, and its time has come. */
async function waiting(
  of: RelayWorld,
  workspace: TestWorkspace,
  body: object = {},
): Promise<string> {
  const id = await accepted(of, workspace, {
    scheduled_at: new Date(Date.now() + (offsetSeconds + 3_600) * 1000).toISOString(),
    ...body,
  })
  await of.run(`update recipient set next_at = facteur_now() where message_id = '${id}'`)
  return id
}

const mailsTo = (of: RelayWorld, address: string) =>
  of.peer.mails.filter((mail) => mail.to.includes(address))

test('deferred: tried again after 1 min, each time twice as long, 4 h at most, for 2 days in all; then failed with the last answer', async () => {
  const workspace = await world.workspace('retries')
  world.answer((moment) => (moment.phase === 'rcpt' ? '451 4.3.0 try later' : undefined))
  const id = await accepted(world, workspace)
  const waits: number[] = []
  let passed = 0
  for (;;) {
    const row = await ledgerRow(world, workspace, id)
    if (row.state !== 'pending') break
    assert.equal(row.status, 'queued')
    waits.push(Math.round(row.nextIn))
    await pass(row.nextIn + 1)
    passed += row.nextIn + 1
    await turn(world, workspace)
  }
  assert.deepEqual(
    waits.slice(0, 9).map((wait) => Math.round(wait / 10) * 10),
    [60, 120, 240, 480, 960, 1920, 3840, 7680, 14_400],
  )
  assert.deepEqual([...new Set(waits.slice(8).map((wait) => Math.round(wait / 10) * 10))], [14_400])
  assert.ok(
    passed > 2 * 86_400 - 4 * 3600 - 60 && passed <= 2 * 86_400,
    `gave up after ${passed} s`,
  )
  const row = await ledgerRow(world, workspace, id)
  assert.partialDeepStrictEqual(row, {
    status: 'failed',
    state: 'settled',
    attempts: waits.length + 1,
  })
  assert.match(row.error ?? '', /^gave up .*451 4\.3\.0 try later/)
  const email = await read(world, workspace, id)
  assert.partialDeepStrictEqual(email, { status: 'failed', error: row.error })
  world.answer(undefined)
})

test('deferred, then accepted: sent once, both attempts counted', async () => {
  const workspace = await world.workspace('deferred once')
  world.answer((moment) => (moment.phase === 'rcpt' ? '451 4.3.0 try later' : undefined))
  const id = await accepted(world, workspace, { to: 'patient@example.com' })
  world.answer(undefined)
  await turn(world, workspace)
  assert.equal(mailsTo(world, 'patient@example.com').length, 0, 'tried before its time')
  await pass(61)
  await turn(world, workspace)
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
    status: 'sent',
    state: 'settled',
    attempts: 2,
    doubts: 0,
  })
  assert.equal(mailsTo(world, 'patient@example.com').length, 1)
})

test('in doubt: repeated once after a minute, to each recipient, under the same Message-ID and return path', async () => {
  const workspace = await world.workspace('doubt')
  world.answer((moment) => (moment.phase === 'dot' ? 'drop' : undefined))
  const id = await accepted(world, workspace, {
    to: ['doubtful@example.com', 'Other <doubtful2@example.com>'],
    html: '<p>é</p>',
    headers: { 'X-One': '1' },
    attachments: [{ filename: 'a.bin', content: 'AAEC' }],
  })
  for (const row of await ledger(world, workspace, id)) {
    assert.partialDeepStrictEqual(row, {
      status: 'queued',
      state: 'pending',
      doubts: 1,
      attempts: 1,
    })
    assert.equal(row.nextIn, 60)
  }
  assert.deepEqual(recipientsOf(await read(world, workspace, id), 'in_doubt'), [true, true])
  world.answer(undefined)
  await pass(61)
  await turn(world, workspace)
  const mails = world.peer.mails.filter((mail) => mail.to[0]?.startsWith('doubtful'))
  assert.equal(mails.length, 2)
  assert.ok(mails[0]?.bytes.equals(mails[1]?.bytes ?? Buffer.alloc(0)))
  assert.deepEqual([...new Set(mails.map((mail) => mail.from))], [`hello@${workspace.domain}`])
  const messageId = at(await read(world, workspace, id), 'message_id')
  assert.ok(mails[0]?.bytes.includes(`Message-ID: ${String(messageId)}\r\n`))
  assert.deepEqual(
    (await ledger(world, workspace, id)).map((row) => [row.status, row.state]),
    [
      ['sent', 'settled'],
      ['sent', 'settled'],
    ],
  )
})

test('in doubt: the first try and its repeat are the same bytes', async () => {
  const workspace = await world.workspace('same bytes')
  // The mail is taken, and its worker gets no further.
  const frozenReply = freezeAt('hand_off.before_record')
  const answering = post(world, workspace, {
    to: 'twice@example.com',
    subject: 'Zażółć',
    attachments: [{ filename: 'é.txt', content: 'YQ==' }],
  })
  await frozenReply.arrived
  const [row] = await claimsOf(workspace)
  await pass(91)
  await turn(other, workspace)
  await pass(61)
  await turn(other, workspace)
  frozenReply.thaw()
  await answering
  const mails = mailsTo(world, 'twice@example.com')
  assert.equal(mails.length, 2)
  assert.ok(mails[0]?.bytes.equals(mails[1]?.bytes ?? Buffer.alloc(0)))
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, row ?? ''), {
    status: 'sent',
    doubts: 1,
    attempts: 2,
  })
})

test('in doubt twice: held, not sent a third time; failed when no feedback came within the longest pause between two tries', async () => {
  const workspace = await world.workspace('doubt twice')
  world.answer((moment) => (moment.phase === 'dot' ? 'drop' : undefined))
  const id = await accepted(world, workspace, { to: 'nobody-knows@example.com' })
  await pass(61)
  await turn(world, workspace)
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
    status: 'queued',
    state: 'in_doubt',
    doubts: 2,
    attempts: 2,
  })
  world.answer(undefined)
  await pass(14_390)
  await turn(world, workspace)
  assert.equal((await ledgerRow(world, workspace, id)).state, 'in_doubt')
  await pass(11)
  await turn(world, workspace)
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
    status: 'failed',
    state: 'settled',
    attempts: 2,
    error: 'in doubt: handed over without an answer, and no delivery report arrived since',
  })
  assert.equal(mailsTo(world, 'nobody-knows@example.com').length, 0)
})

test('in doubt where the operator chose to hold: held at once, never repeated', async () => {
  const workspace = await paused.workspace('hold')
  paused.answer((moment) => (moment.phase === 'dot' ? 'drop' : undefined))
  const id = await accepted(paused, workspace)
  assert.partialDeepStrictEqual(await ledgerRow(paused, workspace, id), {
    status: 'queued',
    state: 'in_doubt',
    doubts: 1,
    attempts: 1,
  })
  assert.deepEqual(recipientsOf(await read(paused, workspace, id), 'in_doubt'), [true])
  paused.answer(undefined)
  await turn(paused, workspace)
  assert.equal(paused.peer.mails.length, 0)
})

test('a lost worker, where the operator chose to hold: held', async () => {
  const workspace = await paused.workspace('hold lost')
  const id = await waiting(paused, workspace)
  await claim(paused, workspace)
  await paused.run(`update recipient set next_at = facteur_now() where message_id = '${id}'`)
  await turn(paused, workspace)
  assert.partialDeepStrictEqual(await ledgerRow(paused, workspace, id), {
    status: 'queued',
    state: 'in_doubt',
    doubts: 1,
    troubles: 1,
  })
  assert.equal(paused.peer.mails.length, 0)
})

test('a claim sets lease, attempt and fence; no other worker gets the row while the lease lasts', async () => {
  const workspace = await world.workspace('claim')
  const id = await waiting(world, workspace)
  const [claimed, ...others] = await claim(world, workspace)
  assert.partialDeepStrictEqual(claimed, { messageId: id, fence: 1, attempts: 1 })
  assert.equal(others.length, 0)
  assert.deepEqual(await claim(world, workspace), [])
  const row = await ledgerRow(world, workspace, id)
  assert.deepEqual([row.state, row.nextIn], ['leased', 90])
  await pass(60)
  await turn(world, workspace)
  assert.equal((await ledgerRow(world, workspace, id)).state, 'leased')
})

test('ten workers claim at once: each row has one holder', async () => {
  const workspace = await world.workspace('ten claims')
  await Promise.all(Array.from({ length: 30 }, () => waiting(world, workspace)))
  const claims = await Promise.all(Array.from({ length: 10 }, () => claim(world, workspace, 7)))
  const ids = claims.flat().map((row) => row.messageId)
  assert.equal(new Set(ids).size, ids.length)
  assert.equal(ids.length, 30)
})

test('a lease that ended: the worker is lost, the message may have left, it is repeated once; the lost worker writes nothing', async () => {
  const workspace = await world.workspace('zombie')
  const id = await waiting(world, workspace, { to: 'zombie@example.com' })
  const freeze = freezeAt('hand_off.before_record')
  await begin(world, workspace)
  await freeze.arrived
  await pass(91)
  await turn(other, workspace)
  const doubted = await ledgerRow(world, workspace, id)
  assert.partialDeepStrictEqual(doubted, {
    status: 'queued',
    state: 'pending',
    doubts: 1,
    troubles: 1,
    attempts: 1,
  })
  assert.match(doubted.response ?? '', /may have left/)
  freeze.thaw()
  await untilNothingLeased(world.service)
  assert.deepEqual(
    unhurried(await ledgerRow(world, workspace, id)),
    unhurried(doubted),
    'the zombie wrote',
  )
  await pass(61)
  await turn(world, workspace)
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
    status: 'sent',
    state: 'settled',
    attempts: 2,
    fence: 3,
  })
  assert.equal(mailsTo(world, 'zombie@example.com').length, 2)
})

for (const event of [
  'sent',
  'bounced',
  'failed',
  'deferred',
  'in_doubt',
  'returned',
  'postponed',
  'threw',
] as const) {
  test(`an outcome under an older fence changes nothing: ${event}`, async () => {
    const workspace = await world.workspace(`fence ${event}`)
    const id = await waiting(world, workspace)
    await claim(world, workspace)
    await pass(91)
    await turn(other, workspace)
    const before = await ledgerRow(world, workspace, id)
    const stale: OutcomeRow = {
      messageId: id,
      position: 0,
      fence: 1,
      event,
      error: 'x',
      response: 'x',
      copy: null,
    }
    assert.equal(
      await createRecordOutcome(world.service, { inHalves: true })(workspace.id, stale),
      null,
    )
    assert.deepEqual(unhurried(await ledgerRow(world, workspace, id)), unhurried(before))
  })
}

test('a message that makes our code throw: tried again, and parked as failed the third time; others are not held up', async () => {
  const workspace = await world.workspace('throws')
  const id = await waiting(world, workspace, { to: 'poison@example.com' })
  await world.run(`update message set head = '{}' where id = '${id}'`)
  for (const troubles of [1, 2]) {
    await turn(world, workspace)
    assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
      status: 'queued',
      state: 'pending',
      troubles,
    })
    await pass(3_600)
  }
  const healthy = await waiting(world, workspace, { to: 'healthy@example.com' })
  await turn(world, workspace)
  const row = await ledgerRow(world, workspace, id)
  assert.partialDeepStrictEqual(row, { status: 'failed', state: 'settled', troubles: 3 })
  assert.match(row.error ?? '', /^parked: ./)
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, healthy), {
    status: 'sent',
    troubles: 0,
  })
  assert.equal(mailsTo(world, 'poison@example.com').length, 0)
})

test('after a worker was lost, healthy rows are claimed together, and one of those it left beside them', async () => {
  const workspace = await world.workspace('left behind')
  const troubled = await Promise.all(Array.from({ length: 4 }, () => waiting(world, workspace)))
  await world.run(
    `update recipient set troubles = 1 where message_id = any ('{${troubled.join()}}')`,
  )
  const healthy = await Promise.all(Array.from({ length: 5 }, () => waiting(world, workspace)))
  const idsClaimed = (max: number) =>
    claim(world, workspace, max).then((rows) => rows.map((row) => row.messageId))
  const first = await idsClaimed(4)
  assert.equal(first.filter((id) => healthy.includes(id)).length, 3)
  assert.equal(first.filter((id) => troubled.includes(id)).length, 1)
  const second = await idsClaimed(10)
  assert.equal(second.filter((id) => healthy.includes(id)).length, 2)
  assert.equal(second.filter((id) => troubled.includes(id)).length, 1)
  // Alone when nothing else waits, and in its turn where there is one place.
  assert.equal((await idsClaimed(1)).length, 1)
  assert.equal((await idsClaimed(10)).length, 1)
  assert.deepEqual(await idsClaimed(10), [])
})

test('a message that ends its worker for the third time is parked, with the reason', async () => {
  const workspace = await world.workspace('kills')
  const id = await waiting(world, workspace)
  await world.run(`update recipient set troubles = 2 where message_id = '${id}'`)
  await claim(world, workspace)
  await pass(91)
  await turn(world, workspace)
  const row = await ledgerRow(world, workspace, id)
  assert.partialDeepStrictEqual(row, { status: 'failed', state: 'settled', troubles: 3 })
  assert.match(row.error ?? '', /^parked/)
})

test('a postponed row waits for the given time, no attempt counts, and its queue life ends it with the last reply', async () => {
  const workspace = await world.workspace('postponed')
  const id = await waiting(world, workspace)
  await world.run(
    `update message set created_at = facteur_now(), scheduled_at = null where id = '${id}'`,
  )
  const postpone = async (waitSeconds: number, response: string | null) => {
    const [claimed] = await claim(world, workspace)
    assert.ok(claimed)
    const leased = { messageId: id, position: 0, fence: claimed.fence, copy: null, error: null }
    await createRecordOutcome(world.service, { inHalves: true })(workspace.id, {
      ...leased,
      event: 'postponed',
      response,
      waitSeconds,
    })
    return ledgerRow(world, workspace, id)
  }
  const first = await postpone(40, '451 4.3.2 full')
  assert.partialDeepStrictEqual(first, {
    status: 'queued',
    state: 'pending',
    attempts: 0,
    response: '451 4.3.2 full',
  })
  assert.equal(first.nextIn, 40)
  assert.deepEqual(await claim(world, workspace), [])
  await pass(172_790)
  const last = await postpone(3_600, null)
  assert.ok(last.nextIn <= 10, 'not beyond the end of its life')
  await pass(11)
  const spent = await postpone(1, null)
  assert.partialDeepStrictEqual(spent, { status: 'failed', state: 'settled', attempts: 0 })
  assert.equal(spent.error, 'gave up after the last temporary refusal: 451 4.3.2 full')
})

test('a row that goes back not begun is free at once, and the attempt does not count', async () => {
  const workspace = await world.workspace('returned')
  const id = await waiting(world, workspace)
  const [claimed] = await claim(world, workspace)
  assert.ok(claimed)
  await world.service.sending.returnRow({
    workspaceId: workspace.id,
    messageId: id,
    position: 0,
    fence: claimed.fence,
    attempt: 1,
    requestedAtMs: 0,
    recipient: claimed.email,
    returnPath: '',
    headers: '',
    fromDomain: 'demo.test',
    compose: () => assert.fail('never composed'),
  })
  const row = await ledgerRow(world, workspace, id)
  assert.partialDeepStrictEqual(row, {
    status: 'queued',
    state: 'pending',
    attempts: 0,
    doubts: 0,
    troubles: 0,
  })
  assert.ok(row.nextIn <= 0)
})

test('hard refusal of a later try: bounced, and the address is suppressed; policy refusal: failed, and it is not', async () => {
  const workspace = await world.workspace('refused later')
  const hard = await waiting(world, workspace, { to: 'gone@example.com' })
  const policy = await waiting(world, workspace, { to: 'strict@example.com' })
  world.answer(({ phase, line }) =>
    phase !== 'rcpt'
      ? undefined
      : line.includes('gone@')
        ? '550 5.1.1 no such user'
        : '550 5.7.1 blocked by policy',
  )
  await turn(world, workspace)
  world.answer(undefined)
  assert.partialDeepStrictEqual(await read(world, workspace, hard), {
    status: 'bounced',
    error: '550 5.1.1 no such user',
  })
  assert.partialDeepStrictEqual(await read(world, workspace, policy), {
    status: 'failed',
    error: '550 5.7.1 blocked by policy',
  })
  assert.equal((await post(world, workspace, { to: 'gone@example.com' })).status, 422)
  assert.equal((await post(world, workspace, { to: 'strict@example.com' })).status, 202)
})

test('hard refusal of a try: pending rows of other messages to the address are completed at once', async () => {
  const workspace = await world.workspace('refused elsewhere')
  await waiting(world, workspace, { to: 'gone@example.com' })
  const later = await accepted(world, workspace, {
    to: 'Gone@example.com',
    scheduled_at: new Date(Date.now() + (offsetSeconds + 86_400) * 1000).toISOString(),
  })
  world.answer(({ phase }) => (phase === 'rcpt' ? '550 5.1.1 no such user' : undefined))
  await turn(world, workspace)
  world.answer(undefined)
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, later), {
    status: 'failed',
    state: 'settled',
    error: 'suppressed: bounce',
  })
})

test('an address is suppressed while a row to it is under way: that row may leave, an unclaimed one never does', async () => {
  const workspace = await world.workspace('closing')
  const first = await waiting(world, workspace, { to: 'closing@example.com' })
  const freeze = freezeAt('hand_off.before_provider')
  await begin(world, workspace)
  await freeze.arrived
  const second = await waiting(world, workspace, { to: 'closing@example.com' })
  await suppressAddress(world.service, {
    workspaceId: workspace.id,
    entry: { email: 'closing@example.com', reason: 'manual', sourceId: null },
  })
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, second), {
    status: 'failed',
    state: 'settled',
    error: 'suppressed: manual',
  })
  freeze.thaw()
  await untilNothingLeased(world.service)
  await turn(world, workspace)
  assert.equal((await ledgerRow(world, workspace, first)).status, 'sent')
  assert.equal(mailsTo(world, 'closing@example.com').length, 1)
})

test('mail that an unsubscribed contact requests still leaves, also after erasure; other suppressions stop it', async () => {
  const workspace = await world.workspace('asked themself')
  const requested = async (email: string): Promise<string> => {
    const id = await waiting(world, workspace, { to: email })
    await world.run(`update recipient set passes_unsubscribe = true where message_id = '${id}'`)
    return id
  }
  const close = (email: string, reason: 'unsubscribe' | 'manual') =>
    suppressAddress(world.service, {
      workspaceId: workspace.id,
      entry: { email, reason, sourceId: null },
    })
  const left = await requested('left@example.com')
  await close('left@example.com', 'unsubscribe')
  const closed = await requested('closed@example.com')
  await close('closed@example.com', 'manual')
  const erased = await requested('erased@example.com')
  await world.run(`
    with salted as (update workspace set erasure_salt = 'salt' where id = ${workspace.id} returning id, erasure_salt)
    insert into erased_suppression (workspace_id, digest, id, reason, created_at)
    select id, facteur_erasure_digest(erasure_salt, 'erased@example.com'), gen_random_uuid(), 'unsubscribe', facteur_now() from salted`)
  await turn(world, workspace)
  assert.equal((await ledgerRow(world, workspace, left)).status, 'sent')
  assert.equal((await ledgerRow(world, workspace, erased)).status, 'sent')
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, closed), {
    status: 'failed',
    error: 'suppressed: manual',
  })
})

test('SMTPUTF8 is asked for when only the hidden copy or the return path is beyond ASCII', async () => {
  const workspace = await world.workspace('utf8')
  await accepted(world, workspace, { to: 'plain@example.com', bcc: 'дом@example.com' })
  const lines = world.peer.requests.flatMap((request) => request.lines)
  const hidden = lines.findIndex((line) => line.startsWith('RCPT') && line.includes('дом@'))
  assert.match(lines[hidden - 1] ?? '', /^MAIL FROM:.* SMTPUTF8/)
  const plain = lines.findIndex(
    (line) => line.startsWith('RCPT') && line.includes('plain@example.com'),
  )
  assert.doesNotMatch(lines[plain - 1] ?? '', /SMTPUTF8/)
  await accepted(world, workspace, { from: `émile@${workspace.domain}`, to: 'plain2@example.com' })
  assert.ok(
    world.peer.requests
      .flatMap((request) => request.lines)
      .some((line) => line.startsWith('MAIL FROM:<émile@') && line.includes('SMTPUTF8')),
  )
})

async function claimsOf(workspace: TestWorkspace): Promise<string[]> {
  const { rows } = await runOn(
    world.database.url,
    `select message_id from recipient where workspace_id = ${workspace.id} and state = 'leased'`,
  )
  return rows.map((row: { message_id: string }) => row.message_id)
}

/** Without what only the passing of time changes. */
const unhurried = (row: LedgerRow) => ({ ...row, nextIn: 0 })

function recipientsOf(email: unknown, field: string): unknown[] {
  const recipients = at(email, 'recipients')
  assert.ok(Array.isArray(recipients))
  return recipients.map((recipient) => at(recipient, field))
}
