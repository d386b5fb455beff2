/** Settings: defaults, what is taken, and the one line for what is not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { OperatorError } from '../../src/operator-error.ts'

test('nothing set: the defaults; empty counts as nothing', () => {
  const { port, host, baseUrl, databaseUrl, ratePerSecond, inDoubt, diskFreeMin } = readConfig({
    FACTEUR_PORT: ' ',
    DATABASE_URL: '',
  })
  assert.deepEqual(
    { port, host, baseUrl, databaseUrl },
    { port: 3025, host: '127.0.0.1', baseUrl: 'http://127.0.0.1:3025', databaseUrl: null },
  )
  assert.deepEqual({ ratePerSecond, inDoubt, diskFreeMin }, { ratePerSecond: null, inDoubt: 'repeat', diskFreeMin: 500_000_000 })
})

test('the base address: without its last slash, made from host and port, never the address of all interfaces', () => {
  assert.equal(readConfig({ FACTEUR_BASE_URL: 'https://mail.example.com/' }).baseUrl, 'https://mail.example.com')
  assert.equal(readConfig({ FACTEUR_HOST: '0.0.0.0', FACTEUR_PORT: '80' }).baseUrl, 'http://127.0.0.1:80')
  assert.equal(readConfig({ FACTEUR_HOST: '::1' }).baseUrl, 'http://[::1]:3025')
})

test('trusted proxies: yes, no, or addresses', () => {
  const trusted = (text: string): boolean | string => readConfig({ FACTEUR_TRUST_PROXY: text }).trustProxy
  assert.deepEqual(['true', '0', '10.0.0.0/8, ::1'].map(trusted), [true, false, '10.0.0.0/8, ::1'])
  assert.throws(() => trusted('10.0.0.0/33'), OperatorError)
})

for (const [name, value] of [
  ['FACTEUR_PORT', '65536'],
  ['FACTEUR_PORT', '1.5'],
  ['FACTEUR_STOP_SECONDS', '-1'],
  ['FACTEUR_STOP_SECONDS', 'Infinity'],
  ['FACTEUR_RETRY_FIRST_SECONDS', '0x10'],
  ['FACTEUR_RATE_PER_SECOND', '0'],
  ['FACTEUR_LOG_LEVEL', 'loud'],
  ['FACTEUR_LANGUAGE', 'de'],
  ['FACTEUR_IN_DOUBT', 'maybe'],
  ['FACTEUR_BASE_URL', 'mail.example.com'],
] as const) {
  test(`${name}=${value}: refused by name and value`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error: Error) => {
        assert.ok(error instanceof OperatorError)
        assert.ok(error.message.startsWith(`${name} is "${value}": expected `), error.message)
        return true
      },
    )
  })
}

for (const [name, value] of [
  ['FACTEUR_MASTER_KEY', 'tooshortsecret'],
  ['FACTEUR_OPERATOR_TOKEN', 'guessme'],
  ['DATABASE_URL', 'mysql://user:hidden@host/x'],
  ['FACTEUR_BASE_URL', 'ftp://user:hidden@host'],
] as const) {
  test(`${name}: a wrong value is refused without being told`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error: Error) => {
        assert.match(error.message, new RegExp(`^${name}`))
        assert.doesNotMatch(error.message, /tooshortsecret|guessme|hidden/)
        return true
      },
    )
  })
}
