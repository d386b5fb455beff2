/** Settings: defaults, what is taken, and the one line for what is not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/ground/config.ts'
import { OperatorError } from '../../src/ground/operator-error.ts'

test('nothing set: the defaults; empty counts as nothing', () => {
  const { port, host, baseUrl, databaseUrl, ratePerSecond, inDoubt, diskFreeMin } = readConfig({
    FACTEUR_PORT: ' ',
    DATABASE_URL: '',
  })
  assert.deepEqual(
    { port, host, baseUrl, databaseUrl },
    { port: 3025, host: '127.0.0.1', baseUrl: 'http://127.0.0.1:3025', databaseUrl: null },
  )
  assert.deepEqual(
    { ratePerSecond, inDoubt, diskFreeMin },
    { ratePerSecond: null, inDoubt: 'repeat', diskFreeMin: 500_000_000 },
  )
})

test('the base address: without its last slash, made from host and port, never the address of all interfaces', () => {
  assert.equal(
    readConfig({ FACTEUR_BASE_URL: 'https://mail.example.com/' }).baseUrl,
    'https://mail.example.com',
  )
  assert.equal(
    readConfig({ FACTEUR_HOST: '0.0.0.0', FACTEUR_PORT: '80' }).baseUrl,
    'http://127.0.0.1:80',
  )
  assert.equal(readConfig({ FACTEUR_HOST: '::1' }).baseUrl, 'http://[::1]:3025')
})

test('trusted proxies: yes, no, or addresses', () => {
  const trusted = (text: string): boolean | string =>
    readConfig({ FACTEUR_TRUST_PROXY: text }).trustProxy
  assert.deepEqual(['true', '0', '10.0.0.0/8, ::1'].map(trusted), [true, false, '10.0.0.0/8, ::1'])
  assert.throws(() => trusted('10.0.0.0/33'), OperatorError)
})

test('SPF: addresses with a length, names with underscores', () => {
  const terms = 'ip4:192.0.2.0/24 ip6:2001:db8::/32 a:mail.example.com/28 include:_spf.google.com'
  assert.deepEqual(readConfig({ FACTEUR_SPF: terms }).spf, terms.split(' '))
})

test('the locale: LC_ALL before LC_MESSAGES before LANG, and only French and English say something', () => {
  const locale = (env: Record<string, string>) => readConfig(env).locale
  assert.deepEqual(locale({ LANG: 'en_GB.UTF-8' }), { language: 'en', from: 'LANG=en_GB.UTF-8' })
  assert.deepEqual(locale({ LC_ALL: '', LC_MESSAGES: 'fr_CA', LANG: 'en_US' }), {
    language: 'fr',
    from: 'LC_MESSAGES=fr_CA',
  })
  assert.deepEqual(locale({ LC_ALL: 'en', LANG: 'fr' }), { language: 'en', from: 'LC_ALL=en' })
  for (const LANG of ['C', 'C.UTF-8', 'POSIX', 'de_DE.UTF-8', 'eng', 'frp_IT'])
    assert.equal(locale({ LANG }), null, LANG)
  assert.equal(locale({ LC_ALL: 'C', LANG: 'en_US.UTF-8' }), null)
})

test('where traces go: a base with /v1/traces, or a whole address, which comes first; http/json alone', () => {
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  const whole = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector' }
  const traces = (env: Record<string, string>): (string | null)[] => {
    const { ownTraces, collectorTraces } = readConfig(env)
    return [ownTraces, collectorTraces]
  }
  assert.deepEqual(traces({}), [null, null])
  assert.deepEqual(traces(base), [null, 'http://collector:4318/v1/traces'])
  assert.deepEqual(traces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector/otlp/' }), [
    null,
    'http://collector/otlp/v1/traces',
  ])
  assert.deepEqual(traces({ ...base, ...whole }), [
    'https://collector/',
    'http://collector:4318/v1/traces',
  ])
  assert.throws(
    () => traces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c/v1/traces' }),
    /TRACES_ENDPOINT takes a whole address/,
  )
  const grpc = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  assert.throws(
    () => traces({ ...base, ...grpc }),
    /^OperatorError: OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": expected http\/json/,
  )
  assert.throws(
    () => traces({ ...whole, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' }),
    /expected http\/json/,
  )
  assert.ok(traces({ ...base, ...grpc, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }))
  assert.deepEqual(traces(grpc), [null, null], 'without a collector it is for other programs')
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
  ['FACTEUR_BASE_URL', 'https://example.com/mail'],
  ['FACTEUR_LEASE_SECONDS', '1'],
  ['FACTEUR_HOST', '999.0.0.1'],
  ['FACTEUR_HOST', 'two words'],
  ['FACTEUR_SPF', 'ip4:999'],
  ['FACTEUR_SPF', 'ip4:192.0.2.0/33'],
  ['FACTEUR_SPF', 'ip6:192.0.2.1'],
  ['FACTEUR_SPF', 'include:relay'],
  ['FACTEUR_SPF', 'a:192.0.2.1'],
  ['FACTEUR_RETRY_FIRST_SECONDS', '14401'],
  ['FACTEUR_INBOUND_PORT', '3025'],
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
  ['FACTEUR_MASTER_KEY', `${'tooshortsecret'.repeat(3)}!!A=`],
  ['FACTEUR_OPERATOR_TOKEN', 'guessme'],
  ['DATABASE_URL', 'mysql://user:hidden@host/x'],
  ['FACTEUR_BASE_URL', 'ftp://user:hidden@host'],
] as const) {
  test(`${name}: a wrong value is refused without being shown`, () => {
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
