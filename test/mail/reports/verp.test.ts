/** Return paths: short, in any case, of one purpose, and made by us alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeIds } from '../../../src/ground/ids.ts'
import { fromBase32, toBase32 } from '../../../src/ground/base32.ts'
import { createVerpTokens, type MailSubject } from '../../../src/mail/reports/verp.ts'

const tokens = createVerpTokens(Buffer.alloc(32, 7))
const makeId = makeIds(() => 1_763_712_000_000)
const workspaceId = fc.integer({ min: 0, max: 2 ** 40 - 1 })
const uuid = fc.uuid()
const message = fc.record({
  workspaceId,
  messageId: uuid,
  position: fc.integer({ min: 0, max: 255 }),
})
const campaign = fc.record({ workspaceId, campaignId: uuid, subscriberId: uuid })
const purposes = ['bounce', 'unsubscribe', 'probe'] as const

/** The subject as a token names it: of a campaign, only parts of its id. */
function named(subject: MailSubject): object {
  if ('messageId' in subject) return { ...subject }
  const hex = subject.campaignId.replaceAll('-', '')
  return {
    workspaceId: subject.workspaceId,
    campaign: { timePart: hex.slice(0, 12), last: hex.slice(-4) },
    subscriberId: subject.subscriberId,
  }
}

test('any subject, for any purpose: at most 64 octets fit for a mailbox, read back in any case', () => {
  fc.assert(
    fc.property(
      fc.oneof(message, campaign),
      fc.constantFrom(...purposes),
      fc.infiniteStream(fc.boolean()),
      (subject, purpose, cases) => {
        const local = tokens.make(purpose, subject)
        assert.match(local, /^[bup]-[a-z2-7]{1,62}$/)
        const shaken = [...local]
          .map((letter) => (cases.next().value ? letter.toUpperCase() : letter))
          .join('')
        assert.deepEqual(tokens.read(shaken), { purpose, subject: named(subject) })
      },
    ),
  )
})

test('any other letter, a letter more or less, another purpose, another key: not ours', () => {
  const stranger = createVerpTokens(Buffer.alloc(32, 8))
  fc.assert(
    fc.property(
      fc.oneof(message, campaign),
      fc.nat(),
      fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz234567=-é'),
      (subject, at, letter) => {
        const local = tokens.make('bounce', subject)
        const index = at % local.length
        const changed = local.slice(0, index) + letter + local.slice(index + 1)
        if (changed !== local) assert.equal(tokens.read(changed), null)
        for (const text of [
          `u${local.slice(1)}`,
          `p${local.slice(1)}`,
          local.slice(0, -1),
          `${local}a`,
          ` ${local}`,
          stranger.make('bounce', subject),
        ])
          assert.equal(tokens.read(text), null)
      },
    ),
  )
})

test('all tokens of a recipient at once are those of one at a time', () => {
  fc.assert(
    fc.property(campaign, (subject) => {
      assert.deepEqual(tokens.makeAll(subject), {
        bounce: tokens.make('bounce', subject),
        unsubscribe: tokens.make('unsubscribe', subject),
        feedback: tokens.make('feedback', subject),
      })
    }),
  )
})

test('the token of a header is no address, and an address is no token of a header', () => {
  fc.assert(
    fc.property(fc.oneof(message, campaign), (subject) => {
      const { bounce, feedback } = tokens.makeAll(subject)
      assert.deepEqual(tokens.readFeedbackId(feedback), named(subject))
      for (const text of [feedback, `b${feedback.slice(1)}`, `p${feedback.slice(1)}`])
        assert.equal(tokens.read(text), null)
      for (const text of [bounce, `f${bounce.slice(1)}`, `${feedback}a`, 'f-', ''])
        assert.equal(tokens.readFeedbackId(text), null)
    }),
  )
})

test('any text: read without an error, and only under the key that made it', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 200 }),
      (text) => tokens.read(text) === null,
    ),
  )
})

test('a subject that does not fit is not made shorter in silence', () => {
  const ids = { messageId: makeId(), position: 256 }
  assert.throws(() => tokens.make('bounce', { workspaceId: 1, ...ids }), RangeError)
  assert.throws(
    () => tokens.make('bounce', { workspaceId: 2 ** 40, ...ids, position: 0 }),
    RangeError,
  )
})

test('base32: bytes and back; one text for each', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 80 }),
      (bytes) => fromBase32(toBase32(Buffer.from(bytes)))?.equals(bytes) === true,
    ),
  )
  // RFC 4648 10, in lower case and without padding.
  assert.deepEqual(
    ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => toBase32(Buffer.from(text))),
    ['', 'my', 'mzxq', 'mzxw6', 'mzxw6yq', 'mzxw6ytb', 'mzxw6ytboi'],
  )
  for (const text of ['mz', 'a', 'mzx', 'mzxw7', 'MY', 'm1', 'my======'])
    assert.equal(fromBase32(text), null, text)
})
