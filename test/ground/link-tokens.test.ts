/** Tokens in links: what was made is read, and nothing else is. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLinkTokens, type MailPurpose } from '../../src/ground/link-tokens.ts'

const tokens = createLinkTokens(Buffer.alloc(32, 1))
const nobody = '00000000-0000-0000-0000-000000000000'
const purposes: MailPurpose[] = ['confirm', 'unsubscribe', 'view', 'track']
const subjects = fc.record({
  workspaceId: fc.nat({ max: 2 ** 48 - 1 }),
  first: fc.uuid(),
  second: fc.uuid(),
})

test('A token is 64 safe characters and reads as what it was made for', () => {
  fc.assert(
    fc.property(subjects, fc.constantFrom(...purposes), (subject, purpose) => {
      const token = tokens.make(purpose, subject)
      assert.match(token, /^[\w-]{64}$/)
      assert.deepEqual(tokens.read(purpose, token), { ...subject })
      assert.equal(tokens.makeAll(subject)[purpose], token)
    }),
  )
})

test('A token of one purpose is nothing for another', () => {
  const all = tokens.makeAll({
    workspaceId: 1,
    first: '0'.repeat(8) + '-0000-0000-0000-000000000000',
    second: 'f'.repeat(8) + '-ffff-ffff-ffff-ffffffffffff',
  })
  for (const created of purposes) {
    for (const requested of purposes)
      assert.equal(
        tokens.read(requested, all[created]) !== null,
        created === requested,
        `${created} read as ${requested}`,
      )
    assert.equal(tokens.read('form', all[created]), null)
  }
})

test('A token with any character changed, of another key, or of another length is nothing', () => {
  fc.assert(
    fc.property(
      subjects,
      fc.nat({ max: 63 }),
      fc.constantFrom('A', 'z', '0', '_', '-', '.', '%'),
      (subject, at, character) => {
        const token = tokens.make('unsubscribe', subject)
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        if (changed !== token) assert.equal(tokens.read('unsubscribe', changed), null)
        assert.equal(tokens.read('unsubscribe', token.slice(1)), null)
        assert.equal(tokens.read('unsubscribe', `${token}A`), null)
        assert.equal(createLinkTokens(Buffer.alloc(32, 2)).read('unsubscribe', token), null)
      },
    ),
  )
})

test('Tokens are signed by HMAC-SHA-512', () => {
  const token = Buffer.from(
    tokens.make('confirm', { workspaceId: 1, first: nobody, second: nobody }),
    'base64url',
  )
  const expected = createHmac('sha512', Buffer.alloc(32, 1)).update(token.subarray(0, 38)).digest()
  assert.deepEqual(token.subarray(38), expected.subarray(0, 10))
})
