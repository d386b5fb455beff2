/**
 * The refusals of real servers, and how each is classified. Texts are as the servers write them,
 * with reserved names and addresses in the place of real ones.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { BounceClass } from '../../../src/contract/emails.ts'
import {
  bounceClassOf,
  classifyBounce,
  bounceCode,
} from '../../../src/mail/reports/classify-bounce.ts'
import { assertLinear } from '../../support/linear.ts'
import { serverReplies } from '../../support/server-replies.ts'

test('there are replies enough, and none twice', () => {
  const texts = Object.values(serverReplies).flatMap((group) => group.map(([, text]) => text))
  assert.ok(texts.length >= 150, String(texts.length))
  assert.deepEqual(
    texts.filter((text, index) => texts.indexOf(text) !== index),
    [],
  )
})

for (const [name, group] of Object.entries(serverReplies)) {
  for (const [is, text] of group)
    test(`${name}: ${is}: ${text.slice(0, 110)}`, () => assert.equal(bounceClassOf(null, text), is))
}

const reports: [is: BounceClass, status: string, diagnostic: string][] = [
  [
    'hard',
    '5.1.1',
    'smtp; 550 5.1.1 <nobody@example.com>: Recipient address rejected: User unknown',
  ],
  ['hard', '5.0.0', 'smtp; 550 No such user'],
  ['hard', '5.0.0', 'smtp; 550 User <nobody@example.com> unknown'],
  ['hard', '5.0.0', 'smtp; 550 BAD_RECIPIENT - see http://mail.example.com/?r=1'],
  ['hard', '5.0.0', 'smtp; 550 ** No mail box available for this user **'],
  ['hard', '5.0.0', 'smtp; 550 This address no longer accepts mail'],
  ['hard', '5.0.0', 'smtp; 554 The following destination addresses were unknown'],
  ['hard', '5.0.0', 'smtp; 550-5.1.1 unknown'],
  ['hard', '5.1.1', 'x-unix; user unknown'],
  ['hard', '5.1.1', ''],
  [
    'hard',
    '5.4.4',
    'X-Postfix; Host or domain name not found. Name service error for name=nowhere.example type=AAAA: Host not found',
  ],
  ['hard', '5.0.0', 'X-Postfix; [nowhere.example]: Name or service not known'],
  ['soft', '5.0.0', 'DNS Error: no answer, no such domain'],
  ['hard', '5.7.1', '553 sorry, badrcptto(user mail-box not found) (#5.7.1)'],
  [
    'hard',
    '5.1.1',
    'smtp; 550 5.1.1 http://support.google.com/mail/bin/answer.py?answer=6596 ad1si1.83 - gsmtp',
  ],
  ['hard', '5.0.0', 'smtp; 550 <nobody@example.com>: User unknown'],
  ['hard', '5.0.0', 'X-Notes; ディレクトリのリストにありません'],
  ['hard', '5.0.0', "smtp; 550 L'adresse nobody@example.com n'existe pas"],
  [
    'other',
    '5.1.1',
    'smtp; 550 5.1.1 http://support.google.com/mail/answer/81126 ad1si1.83 - gsmtp',
  ],
  ['policy', '5.7.1', 'smtp; 550 5.7.1 Sender refused: no such user'],
  // A filter that the recipient chose.
  ['soft', '5.2.0', 'smtp; 550 : User unknown'],
  [
    'soft',
    '5.1.351',
    'smtp; 550 5.1.351 Remote server returned unknown recipient or mailbox unavailable -> 550 : User unknown',
  ],
  [
    'policy',
    '5.1.1',
    'smtp; 550 5.1.1 RCP-P2 http://facebook.example/codes#rcp Refused due to recipient preferences',
  ],
  ['policy', '5.1.1', 'smtp; 550 5.1.1 This user is not accepting mail from news@shop.example'],
  ['policy', '5.1.1', 'smtp; 550 5.1.1 The recipient does not wish to receive this'],
  ['soft', '4.4.7', 'smtp; 400 4.4.7 Message delayed'],
  ['soft', '4.4.1', 'X-Postfix; connect to mx.example.com[192.0.2.1]:25: No route to host'],
  ['soft', '5.2.2', 'smtp; 552 mailbox full'],
  ['soft', '4.1.1', 'smtp; 450 4.1.1 <nobody@example.com>: unverified address: user unknown'],
  ['policy', '5.0.0', 'smtp; 550 5.7.1 message content rejected due to spam'],
  ['policy', '5.7.1', ''],
  ['policy', '5.1.1', 'smtp; 550 blocked by our block list'],
  ['other', '5.0.0', ''],
  ['other', '5.0.0', 'smtp; 550 Too many bad recipients'],
  ['other', '5.3.4', 'smtp; 552 message too big'],
]
for (const [is, status, diagnostic] of reports) {
  test(`a report: ${is}: ${status}, ${diagnostic}`, () =>
    assert.equal(bounceClassOf(status, diagnostic), is))
}

/**
 * RFC 3463, RFC 5248 and the registry of enhanced status codes: each alone, without words, after
 * 550.
 */
const codes: Record<BounceClass, string[]> = {
  hard: ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.4.4'],
  soft: [
    '5.2.0',
    '5.2.1',
    '5.2.2',
    '5.3.1',
    '5.3.2',
    '5.4.0',
    '5.4.1',
    '5.4.2',
    '5.4.3',
    '5.4.5',
    '5.4.7',
  ],
  policy: Array.from({ length: 31 }, (_, detail) => `5.7.${detail}`),
  other: [
    '5.0.0',
    '5.1.0',
    '5.1.4',
    '5.1.5',
    '5.1.7',
    '5.1.8',
    '5.1.9',
    '5.2.3',
    '5.2.4',
    '5.3.0',
    '5.3.3',
    '5.3.4',
    '5.3.5',
    '5.3.6',
    '5.4.6',
    '5.5.0',
    '5.5.1',
    '5.5.2',
    '5.5.3',
    '5.5.4',
    '5.5.5',
    '5.5.6',
    '5.6.0',
    '5.6.1',
    '5.6.2',
    '5.6.3',
    '5.6.4',
    '5.6.5',
    '5.6.6',
    '5.6.7',
    '5.6.8',
    '5.6.9',
    '5.6.10',
  ],
}
for (const [is, all] of Object.entries(codes)) {
  for (const enhanced of all) {
    test(`${enhanced} alone is ${is}`, () =>
      assert.equal(classifyBounce({ code: 550, enhanced, text: '' }), is))
  }
}

test('a temporary refusal is never hard', () => {
  const all = Object.values(serverReplies).flat()
  fc.assert(
    fc.property(fc.constantFrom(...all), fc.integer({ min: 400, max: 499 }), ([, text], code) => {
      assert.notEqual(classifyBounce({ code, enhanced: null, text }), 'hard')
      assert.notEqual(classifyBounce({ code, enhanced: '4.1.1', text }), 'hard')
    }),
  )
})

test('an address that holds the words of another class changes nothing', () => {
  for (const local of ['spam', 'policy', 'blocked', 'mailbox.full', 'unknown-user', 'sender']) {
    assert.equal(bounceClassOf(null, `550 5.1.1 <${local}@example.com>: User unknown`), 'hard')
    assert.equal(bounceClassOf(null, `552 5.2.2 <${local}@example.com>: over quota`), 'soft')
  }
})

test('any text at all is classified, and at no more cost than its length', () => {
  const isClassified = (text: string): void =>
    assert.ok(['hard', 'soft', 'policy', 'other'].includes(bounceClassOf(null, text)), text)
  const pieces = ['user ', 'mailbox', 'a', '<', '@', ' ', '.', '5.1.1', '550']
  fc.assert(
    fc.property(fc.string({ maxLength: 1_000, unit: fc.constantFrom(...pieces) }), isClassified),
    { numRuns: 300 },
  )
  for (const length of [250, 8_000])
    for (const piece of [...pieces, '"', 'mailbox,'])
      assertLinear(piece, length, (characters) =>
        isClassified(piece.repeat(characters / piece.length)),
      )
})

test('the code that is shown is the enhanced one, else the reply', () => {
  assert.equal(bounceCode('550 5.1.1 no'), '5.1.1')
  assert.equal(bounceCode('550-5.7.26 no'), '5.7.26')
  assert.equal(bounceCode('554 Sorry, no mailbox here by that name. (#5.1.1)'), '5.1.1')
  assert.equal(bounceCode('550 no'), '550')
  assert.equal(bounceCode('parked'), null)
})
