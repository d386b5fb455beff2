/** The capture mailbox and its simulators, as a provider and through the whole service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/clock.ts'
import type { EmailDetail } from '../../../src/contract/emails.ts'
import {
  createLocalCapture,
  simulators,
} from '../../../src/providers/local-capture/local-capture.ts'
import type { Provider } from '../../../src/providers/provider.ts'
import { startApi } from '../../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { createFrozenClock } from '../../support/frozen-clock.ts'
import { testProvider } from '../conformance.ts'
import { until } from '../../support/until.ts'

// Before the first test: what is started between two tests is ended with the first.
const clock = createFrozenClock()
const api = await startApi({
  settings: { retryFirstSeconds: 60 },
  provider: createLocalCapture(clock),
})
const workspace = await api.workspace('simulators', { monthlyQuota: 1_000 })

testProvider('local-capture', () => {
  const withheld = createFrozenClock()
  const { provider, copies } = watchCopies(createLocalCapture(withheld))
  return Promise.resolve({
    provider,
    deliveredTo: (recipient) => copies.filter((copy) => copy === recipient).length,
    recipients: {
      accepted: 'you@example.com',
      deferred: 'deferred@simulator.test',
      slow: 'slow@simulator.test',
    },
    wakeSlow: () => withheld.advance(5_000),
    stop: () => Promise.resolve(),
  })
})

/** The mailbox stores the mail that it hands to the ledger with its outcome. */
function watchCopies(inner: Provider): { provider: Provider; copies: string[] } {
  const copies: string[] = []
  const handOff: Provider['handOff'] = async (envelope, lease) => {
    const outcome = await inner.handOff(envelope, lease)
    if (outcome.kind === 'accepted' && outcome.copy?.raw.equals(envelope.bytes))
      copies.push(envelope.recipient)
    return outcome
  }
  return { provider: { ...inner, handOff }, copies }
}

const spellings = (name: string): string[] => [
  `${name}@simulator.test`,
  `${name}+anything.else+more@simulator.test`,
  `${name.toUpperCase()}+UP@SIMULATOR.TEST`,
  `${name.charAt(0).toUpperCase()}${name.slice(1)}+Mixed@Simulator.Test`,
]

test('inline: refused and slow answer the caller, in every spelling; all others are accepted by the commit', () => {
  const provider = createLocalCapture(systemClock)
  for (const name of simulators) {
    for (const recipient of spellings(name))
      assert.equal(provider.inline(recipient), name === 'refused' || name === 'slow', recipient)
  }
  for (const other of [
    'refused@example.com',
    'refusedx@simulator.test',
    'xrefused@simulator.test',
    'refused@a.simulator.test',
    '+refused@simulator.test',
  ]) {
    assert.equal(provider.inline(other), false, other)
  }
})

test('close: a slow one is dropped at the end of the time, and answered', async () => {
  const withheld = createFrozenClock()
  const provider = createLocalCapture(withheld)
  const bytes = Buffer.from('Subject: x\r\n\r\n')
  const sender = { workspaceId: 1, returnPath: 'a@b.test', fromDomain: 'b.test' }
  const envelope = {
    ...sender,
    reference: 'x',
    attempt: 1,
    recipient: 'slow@simulator.test',
    bytes,
    utf8: false,
  }
  const slow = provider.handOff(envelope, { mayProceed: () => true, mayPassDot: () => true })
  const closed = provider.close(50)
  assert.deepEqual(withheld.sleepersMs(), [5_000, 50])
  withheld.advance(50)
  await closed
  assert.equal((await slow).kind, 'returned')
})

const mailTo = (to: string | string[]) => ({
  from: `hello@${workspace.domain}`,
  to,
  subject: 'Simulated',
  text: 'x',
})

const send = (to: string | string[], headers: Record<string, string> = {}) =>
  ask(api.baseUrl, 'POST /api/v1/emails', { key: workspace.key, body: mailTo(to), headers })

async function accepted(to: string | string[]): Promise<string> {
  const answer = await send(to)
  assertAnswered(answer, 202)
  return textAt(answer, 'id')
}

type Recipient = EmailDetail['recipients'][number]

/** The only recipient of a message once it is as wished. */
async function recipientOnce(
  id: string,
  isAsWished: (recipient: Recipient) => boolean,
): Promise<Recipient> {
  const read = async () => {
    const { body } = await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: workspace.key })
    // The contract's own shape: test/api holds the answers to it.
    return (at(body, 'recipients') as Recipient[])[0]
  }
  return until(read, (recipient) => recipient !== undefined && isAsWished(recipient))
}

const used = async (): Promise<number> =>
  Number(
    at((await ask(api.baseUrl, 'GET /api/v1/me', { key: workspace.key })).body, 'quota', 'used'),
  )

async function suppressionOf(email: string): Promise<unknown> {
  const answer = await ask(
    api.baseUrl,
    `GET /api/v1/suppression?email=${encodeURIComponent(email)}`,
    { key: workspace.key },
  )
  return at(answer.body, 'data', '0', 'reason')
}

const ends = [
  { name: 'delivered', status: 'delivered', error: null, suppressed: undefined },
  { name: 'bounced', status: 'bounced', error: /^550 5\.1\.1 /, suppressed: 'bounce' },
  { name: 'complained', status: 'complained', error: /spam/, suppressed: 'complaint' },
  { name: 'failed', status: 'failed', error: /^554 /, suppressed: undefined },
] as const

for (const { name, status, error, suppressed } of ends) {
  for (const recipient of spellings(name)) {
    test(`${recipient}: accepted and sent, then ${status} by feedback${suppressed ? `, and suppressed as ${suppressed}` : ''}`, async () => {
      const id = await accepted(recipient)
      const sent = await recipientOnce(id, ({ status: now }) => now !== 'queued')
      assert.ok(['sent', status].includes(sent.status))
      const end = await recipientOnce(id, ({ status: now }) => now === status)
      if (error === null) assert.equal(end.error, null)
      else assert.match(end.error ?? '', error)
      assert.equal(
        end.delivered_by,
        status === 'delivered' || status === 'complained' ? 'feedback' : null,
      )
      await workspace.capturedMails(id, 1)
      assert.equal(await suppressionOf(recipient), suppressed)
      if (suppressed)
        assertRefused(await send([recipient, 'innocent@example.com']), 'suppressed_recipient', {
          reason: suppressed,
        })
    })
  }
}

test('any other address, also one that looks nearly like a simulator, is delivered', async () => {
  for (const recipient of [
    'you@example.com',
    'bouncedx@simulator.test',
    'bounced@sub.simulator.test',
  ]) {
    const { error } = await recipientOnce(
      await accepted(recipient),
      ({ status }) => status === 'delivered',
    )
    assert.equal(error, null)
  }
})

test('deferred: refused for now twice, with the answer shown, then delivered; one copy', async () => {
  const id = await accepted('deferred+twice@simulator.test')
  for (const [refusals, offset] of [
    [1, '61 seconds'],
    [2, '200 seconds'],
  ] as const) {
    const waiting = await recipientOnce(
      id,
      ({ attempts, response }) => attempts === refusals && response !== null,
    )
    assert.equal(waiting.status, 'queued')
    assert.match(waiting.response ?? '', /^451 4\./)
    await api.moveClock(offset)
  }
  const end = await recipientOnce(id, ({ status }) => status === 'delivered')
  assert.equal(end.attempts, 3)
  assert.equal((await workspace.capturedMails(id, 1)).length, 1)
})

test('refused: 502 send_failed at once, stored as failed, quota given back, the key free again', async () => {
  const before = await used()
  const headers = { 'idempotency-key': 'refused-once' }
  const refused = await send('Refused+now@simulator.test', headers)
  assertRefused(refused, 'send_failed', { reason: '550 5.0.0 simulated refusal' })
  assert.equal(await used(), before)
  const again = await send('you@example.com', headers)
  assertAnswered(again, 202)
  assert.equal(again.headers.get('idempotent-replay'), null)
  assert.equal(await used(), before + 1)
  const id = String(at(refused.body, 'error', 'details', 'id'))
  const { status, error } = await recipientOnce(id, () => true)
  assert.deepEqual([status, error], ['failed', '550 5.0.0 simulated refusal'])
  assert.equal(await suppressionOf('refused+now@simulator.test'), undefined)
})

test('refused beside others: 202, and only that recipient failed', async () => {
  const id = await accepted(['refused@simulator.test', 'you@example.com'])
  await recipientOnce(id, ({ status }) => status === 'failed')
  assert.equal((await workspace.capturedMails(id, 1)).length, 1)
})

test('slow: 202 after 5 s, and delivered', async () => {
  let isAnswered = false
  const answered = accepted('SLOW@simulator.test').finally(() => (isAnswered = true))
  await until(() => clock.sleepersMs().length > 0)
  assert.deepEqual(clock.sleepersMs(), [5_000])
  assert.equal(isAnswered, false)
  clock.advance(5_000)
  const id = await answered
  await recipientOnce(id, ({ status }) => status === 'delivered')
})
