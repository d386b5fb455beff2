/** X-Request-Id: on every answer of every entry point, and on every log line of the call. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { createLog } from '../../src/ground/log.ts'
import { startApi } from '../support/api.ts'
import { ask } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'

const lines: Record<string, unknown>[] = []
const log = createLog({
  level: 'debug',
  clock: systemClock,
  readable: false,
  write: (line) => lines.push(JSON.parse(line)),
})
const linesOf = (requestId: string) => lines.filter((line) => line['requestId'] === requestId)

/** Set by a test: what a hand-off meets. */
let meets = (): void => undefined

const failpoints = {
  hit: (name: string) => {
    if (name === 'hand_off.before_provider') meets()
    return undefined
  },
  broken: () => false,
}
const api = await startApi({ log, failpoints, entry: operatorEntryPoints() })
const workspace = await api.workspace('lines')

test('a valid identifier is kept, in the answer and in the line of the log', async () => {
  const answer = await ask(api.baseUrl, 'GET /api/v1', {
    headers: { 'x-request-id': 'trace-7.B_2' },
  })
  assert.equal(answer.headers.get('x-request-id'), 'trace-7.B_2')
  assert.deepEqual(
    linesOf('trace-7.B_2').map(({ msg }) => msg),
    ['call'],
  )
})

for (const odd of ['two words', 'x'.repeat(101), 'a"b', '{}', 'é']) {
  test(`${JSON.stringify(odd.slice(0, 12))} is replaced by one of ours`, async () => {
    const answer = await ask(api.baseUrl, 'GET /api/v1', {
      headers: { 'x-request-id': Buffer.from(odd).toString('latin1') },
    })
    assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  })
}

for (const path of [
  '/api/v1/openapi.json',
  '/docs',
  '/healthz',
  '/readyz',
  '/metrics',
  '/captured',
  '/captured/style.css',
  '/nowhere',
  '/%zz',
]) {
  test(`${path}: the answer has the identifier`, async () => {
    const { headers } = await fetch(api.baseUrl + path, {
      headers: { 'x-request-id': `at${path.replaceAll(/\W/g, '-')}` },
    })
    assert.equal(headers.get('x-request-id'), `at${path.replaceAll(/\W/g, '-')}`)
  })
}

test('a line of the log that code below the call writes has the identifier too', async () => {
  meets = () => {
    throw new Error('a bug of ours')
  }
  const { key, domain } = workspace
  const body = { from: `hello@${domain}`, to: 'slow@simulator.test', subject: 'x', text: 'x' }
  await ask(api.baseUrl, 'POST /api/v1/emails', {
    key,
    body,
    headers: { 'x-request-id': 'deep-line-1' },
  })
  meets = () => undefined
  const [below, call, ...others] = linesOf('deep-line-1')
  assert.equal(below?.['level'], 'error')
  assert.equal(call?.['msg'], 'call')
  assert.deepEqual(others, [])
})
