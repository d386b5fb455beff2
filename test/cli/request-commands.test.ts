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
  const body = {
    from: `hello@${acme.domain}`,
    to: 'ada@example.com',
    subject: 'Hello',
    text: 'Hello',
  }
  const sent = await ask(api.baseUrl, 'POST /api/v1/emails', { key: acme.key, body })
  const refused = await ask(api.baseUrl, 'GET /api/v1/emails/none', { key: acme.key })
  await api.service.requestLog.flush()
  const lines = (await operator.text(there)).split('\n')
  assert.match(
    lines[0] ?? '',
    /^AT \(UTC\) +OPERATION +STATUS +CODE +MS +CALLS +KEY +FROM +REQUEST +MADE/,
  )
  assert.match(lines[1] ?? '', /getEmail +404 +not_found +[\d.]+ +1 +test +127\.0\.0\.1 +\S+ +-$/)
  assert.match(lines[2] ?? '', new RegExp(`sendEmail +202 +- .* ${textAt(sent, 'id')}$`))
  for (const [flags, answer] of [
    [['--status', 'refused'], refused],
    [['--code', 'not_found'], refused],
    [['--operation', 'sendEmail'], sent],
    [['--message', textAt(sent, 'id')], sent],
    [['--request-id', sent.headers.get('x-request-id') ?? ''], sent],
  ] as const) {
    const result = at(await operator.json([...there, ...flags]), 'data')
    assert.equal(at(result, 'length'), 1, flags.join(' '))
    assert.equal(at(result, '0', 'request_id'), answer.headers.get('x-request-id'))
  }
  await operator.refused([...there, '--operation', 'sendMail'], {
    ...{ code: 'usage', exit: 2 },
    message: /^"sendMail" is no operation: did you mean sendEmail\?$/m,
  })
  await operator.refused([...there, '--operation', 'nothing'], {
    ...{ code: 'usage', exit: 2 },
    message: /^"nothing" is no operation: they are .*\blistEmails\b/,
  })
  await operator.refused([...there, '--from', 'yesterday'], {
    code: 'refused',
    exit: 1,
    message: /--from/,
  })
})

test('a list ends after 100 calls or as many as --limit says, and says whether there are more', async () => {
  const shop = await api.workspace('shop')
  const all = ['requests', 'list', '--workspace', 'shop']
  for (let each = 0; each < 101; each++) await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key })
  const created = await ask(api.baseUrl, 'POST /api/v1/campaigns', {
    key: shop.key,
    body: { name: 'News', subject: 'News', text: 'News' },
  })
  await api.service.requestLog.flush()
  for (const [flags, count, hasMore] of [
    [[], 100, true],
    [['--limit', '3'], 3, true],
    [['--limit', '102'], 102, undefined],
    [['--campaign', textAt(created, 'id'), '--limit', '1'], 1, undefined],
  ] as const) {
    const answer = await operator.json([...all, ...flags])
    assert.deepEqual(
      [at(answer, 'data', 'length'), at(answer, 'has_more')],
      [count, hasMore],
      flags.join(' '),
    )
    const text = await operator.text([...all, ...flags])
    assert.equal(text.split('\n').length, count + (hasMore ? 3 : 2))
    assert.equal(
      /^There are more: --limit says how many are shown\.$/m.test(text),
      hasMore === true,
    )
  }
  await operator.refused([...all, '--limit', '0'], {
    code: 'usage',
    exit: 2,
    message: /whole number/,
  })
})
