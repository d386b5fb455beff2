/** Messages that members send: the checks and answers of any send, and an entry in the audit log. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const here = '/workspaces/shop/api/v1'
const editor = await signIn(api, { email: 'ada@example.com', in: { [shop.id]: 'editor' } })
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const stranger = await signIn(api, { in: { [other.id]: 'owner' } })

const mail = { from: 'hello@shop.test', to: 'camille@example.com', subject: 'Hello', text: 'Yes.' }
const send = (body: object, key?: string, by = editor) =>
  by.ask(`POST ${here}/emails`, { body, ...(key && { headers: { 'idempotency-key': key } }) })

const acts = () =>
  api.service.db.rows<{ who: string; act: string; subject: string; details: object }>(
    sql`select who, act, subject, details from audit_log where workspace_id = ${shop.id} order by id`,
  )

test('202: an editor sends, the audit log names them, and a repeated call writes nothing more', async () => {
  const sent = await send(mail, 'once')
  assertAnswered(sent, 202, { subject: 'Hello', to: ['camille@example.com'] })
  const message = textAt(sent, 'id')
  assert.equal(textAt(await send(mail, 'once'), 'id'), message)
  assertRefused(await send({ ...mail, subject: 'Else' }, 'once'), 'idempotency_key_reused')
  assert.deepEqual(await acts(), [
    {
      ...{ who: 'ada@example.com', act: 'message.sent', subject: 'Hello' },
      details: { message, recipients: 1 },
    },
  ])
  const batch = await editor.ask(`POST ${here}/emails/batch`, { body: [mail, mail] })
  assert.equal(batch.status, 202)
  assert.equal((await acts()).length, 3)
  assert.equal(
    (await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: mail })).status,
    202,
  )
  assert.equal((await acts()).length, 3, 'the log of calls has those of keys')
})

test('a viewer sends nothing, nor does the owner of another workspace', async () => {
  assertRefused(await send(mail, undefined, viewer), 'insufficient_role')
  assertRefused(await send(mail, undefined, stranger), 'not_found')
  await shop.suppress('gone@example.com', 'manual')
  assertRefused(await send({ ...mail, to: 'gone@example.com' }), 'suppressed_recipient')
  assertRefused(await send({ ...mail, from: 'hello@other.test' }), 'unverified_from_domain')
  assert.equal((await acts()).length, 3)
})

test('202: blocks leave as html and text without a footer; a key that gives blocks gives no content', async () => {
  const { text: _none, ...lines } = mail
  const content = [
    { type: 'heading', text: 'Hello *you* & <b>' },
    { type: 'button', text: 'See it', href: 'https://example.com/?a=1&b=2' },
  ]
  const id = textAt(await send({ ...lines, content }, 'blocks'), 'id')
  assert.equal(textAt(await send({ ...lines, content }, 'blocks'), 'id'), id)
  const read = await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: shop.key })
  assert.match(textAt(read, 'html'), /<h1 [^>]*>Hello <em>you<\/em> &amp; &lt;b&gt;<\/h1>/)
  assert.match(textAt(read, 'html'), /href="https:\/\/example\.com\/\?a=1&amp;b=2"/)
  assert.doesNotMatch(textAt(read, 'html'), /f-footer"|unsubscribe|\/o\//)
  assert.equal(
    textAt(read, 'text'),
    'Hello you & <b>\n---------------\n\nSee it: https://example.com/?a=1&b=2\n',
  )
  const byKey = await ask(api.baseUrl, 'POST /api/v1/emails', {
    key: shop.key,
    body: { ...lines, content },
  })
  assertRefused(byKey, 'validation_error', { rule: 'html_or_text' })
})

test('422 for blocks that break a rule, with their index; for a merge tag; for a text beside them', async () => {
  const { text: _none, ...lines } = mail
  const blocks = (content: object[], more = {}) => send({ ...lines, content, ...more })
  assertRefused(
    await blocks([{ type: 'divider' }, { type: 'button', text: 'a' }]),
    'validation_error',
    {
      index: 1,
    },
  )
  for (const text of ['Hello {{firstName}}', '[out]({{unsubscribe_url}})'])
    assertRefused(await blocks([{ type: 'paragraph', text }]), 'validation_error', {
      path: 'content',
      rule: 'no_merge_tag',
    })
  assertRefused(await blocks([{ type: 'divider' }], { text: 'a' }), 'validation_error', {
    rule: 'content_alone',
  })
})
