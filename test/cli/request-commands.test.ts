/** `facteur requests list`: the calls of programs, by the filters of the page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ workers: false })
const acme = await api.workspace('acme')
const operator = createOperator({ DATABASE_URL: api.database.url })
const there = ['requests', 'list', '--workspace', 'acme']

test('each call with its operation, status, key, address and the message that it made; filters narrow the list', async () => {
  assert.match(await operator.text(there), /^No call matches\./)
  const body = { from: `hello@${acme.domain}`, to: 'ada@example.com', subject: 'Hello', text: 'Hello' }
  const sent = await ask(api.baseUrl, 'POST /api/v1/emails', { key: acme.key, body })
  const refused = await ask(api.baseUrl, 'GET /api/v1/emails/none', { key: acme.key })
  await api.service.requestLog.flush()
  const lines = (await operator.text(there)).split('\n')
  assert.match(lines[0] ?? '', /^AT \(UTC\) +OPERATION +STATUS +CODE +MS +CALLS +KEY +FROM +REQUEST +MADE/)
  assert.match(lines[1] ?? '', /getEmail +404 +not_found +[\d.]+ +1 +test +127\.0\.0\.1 +\S+ +-$/)
  assert.match(lines[2] ?? '', new RegExp(`sendEmail +202 +- .* ${textAt(sent, 'id')}$`))
  for (const [flags, answer] of [
    [['--status', 'refused'], refused],
    [['--code', 'not_found'], refused],
    [['--operation', 'sendEmail'], sent],
    [['--message', textAt(sent, 'id')], sent],
    [['--request-id', sent.headers.get('x-request-id') ?? ''], sent],
  ] as const) {
    const found = at(await operator.json([...there, ...flags]), 'data')
    assert.equal(at(found, 'length'), 1, flags.join(' '))
    assert.equal(at(found, '0', 'request_id'), answer.headers.get('x-request-id'))
  }
  await operator.refused([...there, '--from', 'yesterday'], { code: 'refused', exit: 1, message: /--from/ })
})
