/**
 * The log at info level: no addresses of contacts, no keys, no texts of mails (security: Secrets;
 * semantics: none of it in logs).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { createLog } from '../../src/ground/log.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'

let logged = ''
const log = createLog({
  level: 'info',
  clock: systemClock,
  readable: false,
  write: (line) => (logged += line),
})
const api = await startApi({ log })
const workspace = await api.workspace('discreet')

test('mails of every fate, refusals and bad calls leave neither address, key nor text in the log', async () => {
  const send = (to: string) =>
    ask(api.baseUrl, 'POST /api/v1/emails', {
      key: workspace.key,
      body: {
        from: `hello@${workspace.domain}`,
        to,
        subject: 'a-secret-subject',
        text: 'a-secret-text',
      },
    })
  const sent = await send('someone-private@example.com')
  assertAnswered(sent, 202)
  await workspace.capturedMails(textAt(sent, 'id'), 1)
  await send('refused+private@simulator.test')
  await send('someone-private@@example.com')
  await ask(api.baseUrl, 'POST /api/v1/suppression', {
    key: workspace.key,
    body: { email: 'someone-private@example.com' },
  })
  await send('someone-private@example.com')
  await ask(api.baseUrl, 'GET /api/v1/emails?recipient=someone-private%40example.com', {
    key: workspace.key,
  })
  await ask(api.baseUrl, 'GET /api/v1/me', { key: api.unknownKey(workspace) })
  // The lines of these calls are there; what they were about is not.
  assert.ok(logged.split('\n').filter((line) => line.includes('"msg":"call"')).length >= 7)
  for (const secret of [
    'private',
    'a-secret',
    workspace.key,
    workspace.key.slice(-12),
    'fct_live',
  ]) {
    assert.equal(logged.includes(secret), false, `the log holds ${secret}`)
  }
})

test('a field with the name of a secret is never written', () => {
  log.warn({ key: 'fct_live_1_abc', password: 'hunter2', token: 'tok' }, 'careless')
  assert.match(logged, /careless/)
  for (const secret of ['fct_live_1_abc', 'hunter2', '"tok"'])
    assert.equal(logged.includes(secret), false)
})
