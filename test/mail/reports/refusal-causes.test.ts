/**
 * Each refusal that names its cause is described by one row, whatever its way to us; an ordinary
 * refusal by none. Texts are as the servers write them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { classifyBounce, codesOf } from '../../../src/mail/reports/classify-bounce.ts'
import {
  findRefusalCause,
  refusalCauses,
  refusalCausesIn,
  refusedAddressIn,
} from '../../../src/mail/reports/refusals/find-refusal-cause.ts'
import { assertLinear } from '../../support/linear.ts'
import { refusalReplies } from '../../support/refusal-replies.ts'
import { serverReplies } from '../../support/server-replies.ts'

const replies = Object.entries(refusalReplies).flatMap(([id, texts]) =>
  texts.map((text) => ({ id, text })),
)

test('each row has its own name, a page that documents it, and a reply that it describes', () => {
  assert.ok(refusalCauses.length >= 60, String(refusalCauses.length))
  assert.deepEqual(
    refusalCauses.map(({ id }) => id),
    Object.keys(refusalReplies),
  )
  assert.equal(new Set(refusalCauses.map(({ id }) => id)).size, refusalCauses.length)
  for (const { id, source, link, readOn } of refusalCauses) {
    assert.match(id, /^[a-z0-9]+(_[a-z0-9]+)+$|^[a-z]+$/)
    assert.ok(['http:', 'https:'].includes(new URL(source).protocol), id)
    assert.match(readOn, /^\d{4}-\d\d-\d\d$/)
    if (link !== undefined) assert.match(link, /^https?:\/\/[^{}]+(\{(ip|domain)\})?$/)
  }
})

for (const { id, text } of replies)
  test(`${id}: ${text.slice(0, 100).replaceAll('\n', ' ')}`, () => {
    assert.equal(findRefusalCause(text)?.id, id)
    const rows = refusalCausesIn(text)
    const specific = rows.filter(({ isGeneral }) => !isGeneral)
    const deciding = specific.length > 0 ? specific : rows
    assert.deepEqual(
      deciding.map((row) => row.id),
      [id],
      'one row alone describes it',
    )
  })

test('a reply to our own attempt, a DSN and a notice of Amazon SES name the same cause', () => {
  for (const { id, text } of replies) {
    const line = text.replaceAll('\n', ' ')
    const ways = {
      'on one line': line,
      dsn: `smtp; ${line}`,
      'dsn of a relay': `smtp; host mx.example.com[203.0.113.9] said: ${line} (in reply to end of DATA command)`,
      'amazon ses': `Transient/General: smtp; ${line}`,
      'with wide spaces': line.replaceAll(' ', '   '),
    }
    for (const [way, sentence] of Object.entries(ways)) {
      assert.equal(findRefusalCause(sentence)?.id, id, `${way}: ${sentence}`)
      assert.equal(refusedAddressIn(sentence), refusedAddressIn(line), `${way}: ${sentence}`)
    }
  }
})

test('a refusal that names its cause never suppresses an address', () => {
  for (const { text } of replies)
    assert.notEqual(classifyBounce({ ...codesOf(null, text), text }), 'hard', text)
})

test('what servers say of an address or a mailbox names no cause', () => {
  for (const [is, text] of Object.values(serverReplies).flat())
    if (is === 'hard' || is === 'soft') assert.equal(findRefusalCause(text), null, text)
})

const ordinaryWords = [
  ...[
    'user',
    'unknown',
    'mailbox',
    'unavailable',
    'full',
    'recipient',
    'address',
    'rejected',
    'quota',
    'exceeded',
    'delivery',
    'message',
  ],
  ...[
    'try',
    'again',
    'later',
    'temporary',
    'failure',
    'in',
    'local',
    'table',
    'no',
    'such',
    'host',
    'not',
    'found',
    'connection',
    'timed',
  ],
  ...[
    'out',
    'over',
    'disabled',
    'account',
    'system',
    'error',
    'DNS',
    'lookup',
    'server',
    'busy',
    'size',
    'too',
    'large',
    'is',
    'the',
    'was',
  ],
  ...[
    'relay',
    'denied',
    'access',
    'policy',
    'your',
    'mail',
    'from',
    'domain',
    'blocked',
    'list',
    '[192.0.2.25]',
    '<camille@example.com>',
  ],
]

test('words of ordinary bounces in any order name no cause', () => {
  const text = fc.tuple(
    fc.constantFrom(
      '550 5.1.1',
      '550',
      '554 5.7.1',
      '421 4.7.0',
      '451 4.3.0',
      'smtp; 550 5.2.2',
      '552 5.2.2',
    ),
    fc.array(fc.constantFrom(...ordinaryWords), { maxLength: 40 }),
  )
  fc.assert(
    fc.property(text, ([codes, words]) => findRefusalCause(`${codes} ${words.join(' ')}`) === null),
    { numRuns: 5_000 },
  )
})

test('an address that holds the words of a cause changes nothing', () => {
  for (const name of ['spamhaus', 'spamcop', 'abusix', '[ph01]', 'ofr_506', 'bl000010'])
    assert.equal(findRefusalCause(`550 5.1.1 <${name}@example.com>: user unknown`), null, name)
})

test('any text at all is read, at no more cost than its length', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 300, unit: 'binary' }),
      (text) => findRefusalCause(text) === null || text !== '',
    ),
  )
  for (const { id, text } of replies)
    assertLinear(id, 500, (length) =>
      findRefusalCause(
        text
          .slice(0, 60)
          .repeat(length / 25)
          .slice(0, length),
      ),
    )
})

test('the address that a refusal is about is the one that the server saw', () => {
  assert.equal(
    refusedAddressIn('host mx.example.com[203.0.113.9] said: 550 5.7.1 [192.0.2.25] blocked'),
    '192.0.2.25',
  )
  assert.equal(
    refusedAddressIn(
      '550 5.7.25 the sending IPv6 address [2001:DB8::25] must have a reverse DNS record',
    ),
    '2001:db8::25',
  )
  assert.equal(refusedAddressIn('421 4.7.0 deferred - 4.16.55'), null)
  assert.equal(refusedAddressIn('550 5.1.1 user unknown'), null)
  assert.equal(refusedAddressIn('550 999.1.1.1'), null)
})
