/**
 * The ninth story: scanners, previews and browsers that look ahead open every link of the mails
 * that left. No subscriber's status changes by it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { makeForm } from '../../src/core/forms/make-form.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('acme')
const { db } = api.service
const { key } = workspace

const polls: RequestInit[] = [
  { method: 'GET' },
  { method: 'HEAD' },
  { method: 'GET', headers: { purpose: 'prefetch' } },
  { method: 'GET', headers: { 'sec-purpose': 'prefetch;prerender' } },
  { method: 'HEAD', headers: { purpose: 'prefetch', 'sec-purpose': 'prefetch' } },
]

/** Everything that says who is on the list. */
async function audience(): Promise<string> {
  const parts = await Promise.all([
    db.rows(sql`select * from subscriber order by workspace_id, id`),
    db.rows(sql`select * from suppression order by workspace_id, email`),
    db.rows(sql`select * from consent_evidence order by workspace_id, id`),
  ])
  return JSON.stringify(parts)
}

interface Mail {
  to: string
  subject: string
  headers: Record<string, string>
  links: string[]
}

async function mails(count: number): Promise<Mail[]> {
  const left = () =>
    db.rows<{ raw: Buffer; recipient: string }>(
      sql`select raw, recipient from captured_mail where workspace_id = ${workspace.id} order by captured_at`,
    )
  const rows = await until(left, ({ length }) => length >= count)
  return Promise.all(rows.map(({ raw, recipient }) => readMail(raw, recipient)))
}

/** The links of all its parts and headers, each once. */
async function readMail(raw: Buffer, to: string): Promise<Mail> {
  const { html = '', text = '', subject = '', headers } = await PostalMime.parse(raw)
  const byName = Object.fromEntries(headers.map((header) => [header.key, header.value]))
  const places = [
    html.replaceAll('&amp;', '&').replaceAll('&#38;', '&'),
    text,
    byName['list-unsubscribe'] ?? '',
  ]
  const links = places.flatMap((location) => location.match(/https?:\/\/[^\s"'<>)\]]+/g) ?? [])
  return { to, subject, headers: byName, links: [...new Set(links)] }
}

test('every link of a campaign and of a confirmation, by GET, HEAD and prefetch: no subscriber changes; the one-click POST moves exactly one', async () => {
  await makeForm(api.service, {
    workspaceId: workspace.id,
    form: { name: 'News', intro: null, consent: null, asks: [], tags: [] },
  })
  for (const name of ['ada', 'bob', 'cy']) {
    const body = { email: `${name}@example.com`, double_opt_in: false }
    assertAnswered(await ask(api.baseUrl, 'POST /api/v1/subscribers', { key, body }), 201)
  }
  assertAnswered(
    await ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key,
      body: { email: 'pending@example.com' },
    }),
    201,
  )
  const content = {
    name: 'News',
    subject: 'News',
    text: 'See https://example.com/a and\n\nhttps://example.com/b now.',
  }
  const created = await ask(api.baseUrl, 'POST /api/v1/campaigns', { key, body: content })
  assertAnswered(created, 201)
  assertAnswered(
    await ask(api.baseUrl, `POST /api/v1/campaigns/${textAt(created, 'id')}/send`, { key }),
    202,
    { queued: 3 },
  )

  const left = await mails(4)
  const before = await audience()
  const kinds = new Set<string>()
  for (const { to, links } of left) {
    const ours = links.filter((link) => link.startsWith(api.baseUrl))
    assert.ok(ours.length > 0, `the mail to ${to} has links of ours`)
    for (const link of ours) {
      kinds.add(new URL(link).pathname.split('/')[1] ?? '')
      for (const query of polls) {
        const { status } = await fetch(link, { redirect: 'manual', ...query })
        assert.ok(status < 400, `${query.method} ${link}: ${status}`)
      }
    }
  }
  assert.deepEqual([...kinds].toSorted(), ['c', 'confirm', 'o', 'unsubscribe', 'view'])
  assert.equal(await audience(), before)

  const mail = left.find(({ to }) => to === 'bob@example.com') ?? assert.fail('no mail to bob')
  assert.equal(mail.headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click')
  const link =
    /<(https?:[^>]+)>/.exec(mail.headers['list-unsubscribe'] ?? '')?.[1] ??
    assert.fail('no link to leave by')
  for (let count = 0; count < 2; count++) {
    const { status } = await fetch(link, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })
    assert.equal(status, 200)
  }
  const rows = await db.rows(
    sql`select email, status from subscriber where workspace_id = ${workspace.id} order by email`,
  )
  assert.deepEqual(rows, [
    { email: 'ada@example.com', status: 'subscribed' },
    { email: 'bob@example.com', status: 'unsubscribed' },
    { email: 'cy@example.com', status: 'subscribed' },
    { email: 'pending@example.com', status: 'pending' },
  ])
  const stats = await ask(api.baseUrl, `GET /api/v1/campaigns/${textAt(created, 'id')}/stats`, {
    key,
  })
  assertAnswered(stats, 200, { counts: { unsubscribed: 1 } })
})
