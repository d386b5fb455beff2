/**
 * Passwords at rest and at work: the parameters of OWASP, never the same twice, one at a time, and
 * the event loop goes on meanwhile.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswords } from '../../src/core/passwords.ts'
import { totpOf, stepOfCode } from '../../src/core/users/totp.ts'

const passwords = createPasswords()

test('a password is stored as Argon2id with its parameters, and verifies only itself, in any Unicode composition', async () => {
  const [stored, again] = [
    await passwords.hash('Ångström, déjà vu'),
    await passwords.hash('Ångström, déjà vu'),
  ]
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.notEqual(stored, again)
  assert.equal(await passwords.verify('Ångström, déjà vu'.normalize('NFD'), stored), true)
  assert.equal(await passwords.verify('ångström, déjà vu', stored), false)
  assert.equal(await passwords.verify('', null), false)
})

test('ten at once wait for one another, and the event loop for none; beyond 64 a caller is asked to come again', async () => {
  let ticks = 0
  const ticking = setInterval(() => ticks++, 1)
  const many = await Promise.allSettled(
    Array.from({ length: 70 }, () => passwords.verify('x', null)),
  )
  clearInterval(ticking)
  assert.equal(many.filter(({ status }) => status === 'rejected').length, 6)
  // On the main thread, no more than one tick would come between two passwords.
  assert.ok(ticks > 64 * 3, `${ticks} ticks`)
})

test('codes are those of RFC 6238, appendix B', () => {
  // The secret "12345678901234567890" in base32; the last six of the eight digits that the appendix
  // gives.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const reported = {
    59: '287082',
    1_111_111_109: '081804',
    1_234_567_890: '005924',
    2_000_000_000: '279037',
    20_000_000_000: '353130',
  }
  for (const [seconds, code] of Object.entries(reported))
    assert.equal(totpOf(secret, Math.floor(Number(seconds) / 30)), code)
})

test('a code is good for its own half minute and for one to either side', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const step = 37_037_036
  const taken = [-2, -1, 0, 1, 2].map((off) =>
    stepOfCode(secret, totpOf(secret, step + off), step * 30 + 29),
  )
  assert.deepEqual(taken, [null, step - 1, step, step + 1, null])
})
