/** Looking before sending: the preview, the copy to oneself, and what preflight finds. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { parseMailbox, type Mailbox } from '../../../src/ground/address.ts'
import { ApiError } from '../../../src/contract/errors.ts'
import {
  preflightCampaign,
  type Preflight,
} from '../../../src/core/campaigns/preflight-campaign.ts'
import type { FindingReason } from '../../../src/core/campaigns/preflight/finding.ts'
import { checkLinks } from '../../../src/core/campaigns/preflight/check-links.ts'
import { previewCampaign } from '../../../src/core/campaigns/preview-campaign.ts'
import { sendTest } from '../../../src/core/campaigns/send-test.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { createOutbound } from '../../../src/ground/outbound/create-outbound.ts'
import { subnetList, loopbackRanges } from '../../../src/ground/outbound/check-address.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { ask } from '../../support/ask.ts'
import { freePort } from '../../support/free-port.ts'
import { draftOf } from '../../support/campaign-world.ts'
import { assertFilled } from '../../support/finding-sentences.ts'

const api = await startApi()
const shop = await api.workspace('shop', { monthlyQuota: 10 })
const ctx = api.service

/** A site that campaigns link to. */
const requests: string[] = []
const port = await freePort()
const site = createServer((request, response) => {
  const path = request.url ?? ''
  requests.push(path)
  if (path === '/moved') response.writeHead(301, { Location: '/good' })
  else if (path === '/nowhere') response.writeHead(302, { Location: '/gone' })
  else if (path === '/loop') response.writeHead(302, { Location: '/loop' })
  else if (path === '/inside') response.writeHead(302, { Location: 'http://10.0.0.1/secret' })
  else response.writeHead(path === '/gone' ? 404 : path === '/shy' ? 403 : 200)
  response.end()
})
await new Promise<void>((listening) => site.listen(port, '127.0.0.1', listening))
after(() => {
  site.close()
  site.closeAllConnections()
})
const at = (path: string): string => `http://127.0.0.1:${port}${path}`

const subscribe = (workspace: TestWorkspace, email: string, more: object = {}): Promise<unknown> =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: workspace.key,
    body: { email, double_opt_in: false, ...more },
  })
await subscribe(shop, 'ada@example.com', { firstName: 'Ada', fields: { city: 'Paris' } })

const mailbox = (text: string): Mailbox => {
  const read = parseMailbox(text)
  assert.ok(!('rule' in read))
  return read
}

const preflight = async (
  id: string,
  { workspace = shop, captures = true, baseUrl = api.baseUrl, ranges = loopbackRanges } = {},
): Promise<Preflight> => {
  const outbound = createOutbound({
    allowed: subnetList(ranges),
    allowsRanges: ranges.length > 0,
    userAgent: 'Facteur',
  })
  const settings = { ...ctx.settings, baseUrl }
  const result = await preflightCampaign(
    { ...ctx, settings, outbound, signal: new AbortController().signal },
    { workspaceId: workspace.id, id, captures },
  )
  // Whatever a test finds, each of its sentences has all of its values.
  result.findings.forEach(assertFilled)
  return result
}

/** Its findings with this reason hold these details. */
const finds = (
  { findings }: Preflight,
  status: string,
  reason: FindingReason,
  details: object = {},
): void => {
  const matches = findings.filter(
    (finding) => finding.reason === reason && finding.status === status,
  )
  assert.ok(
    matches.some((finding) =>
      Object.entries(details).every(([name, value]) => finding.details[name] === value),
    ),
    `${status} ${reason} ${JSON.stringify(details)} in ${JSON.stringify(findings)}`,
  )
}

test('a preview is filled in for a subscriber, or with the defaults; it has no personal links', async () => {
  const text =
    'Dear {{firstName | default: "friend"}} of {{fields.city}},\n\nsee http://example.com/news {{unsubscribe_url}}'
  const id = await draftOf(api, shop, { subject: 'For {{firstName | default: "you"}}', text })
  const ada = await previewCampaign(ctx, { workspaceId: shop.id, id, email: 'ada@example.com' })
  assert.equal(ada.subject, 'For Ada')
  for (const part of [ada.html, ada.text]) {
    assert.match(part, /Dear Ada of Paris/)
    assert.match(part, /http:\/\/example\.com\/news/)
    assert.doesNotMatch(part, /\/c\/|\/o\/|\/unsubscribe\/|\/view\//)
  }
  const nobody = await previewCampaign(ctx, { workspaceId: shop.id, id, email: null })
  assert.equal(nobody.subject, 'For you')
  assert.match(nobody.text, /Dear friend of ,/)
  await assert.rejects(
    previewCampaign(ctx, { workspaceId: shop.id, id, email: 'nobody@example.com' }),
    { code: 'not_found' },
  )
})

test('a test mail is the campaign’s, marked, and counts for nothing', async () => {
  const id = await draftOf(api, shop, { subject: 'For {{firstName | default: "you"}}' })
  const [message] = await sendTest(ctx, {
    workspaceId: shop.id,
    id,
    to: [mailbox('Ada@example.com')],
  })
  const [raw] = await shop.capturedMails(message?.id ?? '', 1)
  assert.match(String(raw), /^Subject: \[Test\] For Ada\r$/m)
  assert.match(String(raw), /^To: Ada@example\.com\r$/m)
  assert.match(String(raw), /Dear Ada|Dear Person|example\.com\/news/)
  const [campaign] = await ctx.db.rows(
    sql`select status, compiled from campaign where workspace_id = ${shop.id} and id = ${id}`,
  )
  assert.deepEqual(campaign, { status: 'draft', compiled: null })
  const [counted] = await ctx.db.rows(sql`
    select (select count(*) from campaign_recipient where workspace_id = ${shop.id}) as recipients,
      (select count(*) from campaign_tally where workspace_id = ${shop.id}) as tallies,
      (select coalesce(sum(used), 0)::int from quota_usage where workspace_id = ${shop.id}) as used`)
  assert.deepEqual(counted, { recipients: 0, tallies: 0, used: 0 })
  const listed = await ask(api.baseUrl, 'GET /api/v1/emails', { key: shop.key })
  assert.deepEqual(Object(listed.body).data, [])
})

test('a test mail keeps the rules of every send', async () => {
  const id = await draftOf(api, shop)
  const to = mailbox('you@example.com')
  const refuses = (code: string, details: object): Promise<void> =>
    assert.rejects(sendTest(ctx, { workspaceId: shop.id, id, to: [to] }), (error) => {
      assert.ok(error instanceof ApiError, String(error))
      assert.partialDeepStrictEqual({ code: error.code, details: error.details }, { code, details })
      return true
    })
  await shop.suppress('you@example.com', 'complaint')
  await refuses('suppressed_recipient', { email: 'you@example.com', reason: 'complaint' })
  await shop.setReputation({ handOffs: 1000, bounces: 100, complaints: 0 })
  await refuses('reputation_blocked', { bounce_rate: 0.1 })
  await shop.setReputation({ handOffs: 0, bounces: 0, complaints: 0 })
  await api.run(`update domain set status = 'pending' where workspace_id = ${shop.id}`)
  await refuses('unverified_from_domain', { from: 'hello@shop.test' })
  await api.run(`update domain set status = 'verified' where workspace_id = ${shop.id}`)
  await api.run(`update campaign set from_email = null where id = '${id}'`)
  await refuses('validation_error', { reason: 'no_sender' })
})

test('preflight: a correct campaign has no problem, and every check ran', async () => {
  await api.run(`update workspace set postal_address = 'Shop\n1 rue Basse' where id = ${shop.id}`)
  const content = [
    { type: 'image', src: at('/logo.png'), alt: 'Shop', href: at('/good') },
    { type: 'paragraph', text: `[moved](${at('/moved')}) {{fields.city}}` },
  ]
  const result = await preflight(await draftOf(api, shop, { text: null, content }))
  assert.deepEqual(
    result.findings.filter(({ status }) => status !== 'ok'),
    [],
  )
  assert.deepEqual(
    new Set(result.findings.map(({ check }) => check)),
    new Set([
      'sender',
      'domain',
      'authentication',
      'postal_address',
      'base_url',
      'links',
      'images',
      'fields',
      'size',
      'reputation',
      'quota',
      'audience',
    ]),
  )
  finds(result, 'ok', 'good', { asked: 3 })
  for (const path of ['/logo.png', '/good', '/moved']) assert.ok(requests.includes(path), path)
})

test('preflight: the sender, its domain and the postal address', async () => {
  const bare = await api.workspace('bare')
  const id = await draftOf(api, bare)
  finds(await preflight(id, { workspace: bare }), 'problem', 'no_postal_address')
  await api.run(`update domain set status = 'pending' where workspace_id = ${bare.id}`)
  finds(await preflight(id, { workspace: bare }), 'problem', 'domain_pending', {
    domain: 'bare.test',
  })
  await api.run(`delete from domain where workspace_id = ${bare.id}`)
  finds(await preflight(id, { workspace: bare }), 'problem', 'domain_absent', {
    domain: 'bare.test',
  })
  await api.run(`update campaign set from_email = null where id = '${id}'`)
  finds(await preflight(id, { workspace: bare }), 'problem', 'no_sender')
})

test('preflight: a base URL must be one that recipients can reach, unless mail stays here', async () => {
  const id = await draftOf(api, shop)
  finds(await preflight(id), 'ok', 'base_url_kept_here')
  for (const baseUrl of [
    api.baseUrl,
    'http://localhost:3025',
    'https://192.168.1.4',
    'http://[::1]:3025',
    'https://[fd00::1]',
  ])
    finds(await preflight(id, { captures: false, baseUrl }), 'problem', 'base_url_private', {
      url: baseUrl,
    })
  finds(
    await preflight(id, { captures: false, baseUrl: 'https://mail.invalid' }),
    'problem',
    'base_url_unknown',
  )
  finds(
    await preflight(id, { captures: false, baseUrl: 'http://8.8.8.8' }),
    'warning',
    'base_url_without_tls',
  )
  finds(await preflight(id, { captures: false, baseUrl: 'https://8.8.8.8' }), 'ok', 'good', {
    url: 'https://8.8.8.8',
  })
})

test('preflight: links that are gone, move forever or lead where we do not go; personal ones are not asked', async () => {
  const paths = ['/good', '/gone', '/nowhere', '/loop', '/shy', '/inside', '/for?you={{email}}']
  const text = [...paths.map(at), `http://127.0.0.1:${await freePort()}/dead`].join('\n\n')
  const result = await preflight(await draftOf(api, shop, { text }))
  finds(result, 'problem', 'link_answers', { url: at('/gone'), status: 404 })
  finds(result, 'problem', 'link_answers', { url: at('/nowhere'), status: 404 })
  finds(result, 'problem', 'link_redirects_forever', { url: at('/loop') })
  finds(result, 'problem', 'link_failed', { why: 'ECONNREFUSED' })
  finds(result, 'warning', 'link_answers', { url: at('/shy'), status: 403 })
  finds(result, 'warning', 'link_refused', { url: at('/inside'), why: 'address' })
  finds(result, 'ok', 'links_personal', { links: 1 })
  assert.ok(!requests.some((path) => path.startsWith('/for')))
  const before = requests.length
  finds(
    await preflight(await draftOf(api, shop, { text: at('/good') }), { ranges: [] }),
    'warning',
    'link_refused',
    {
      why: 'address',
    },
  )
  assert.equal(requests.length, before)
})

test('preflight: other syntax that was stored before, and names in brackets, are named; a literal text is not', async () => {
  const text = `Dear [First Name], {{ '*|FNAME|*' }} [see](https://example.com) [1] of [COMPANY] [webversion]`
  const id = await draftOf(api, shop, { text })
  const result = await preflight(id)
  finds(result, 'warning', 'placeholder', { value: '[First Name]' })
  finds(result, 'warning', 'placeholder', { value: '[COMPANY]' })
  finds(result, 'warning', 'placeholder', { value: '[webversion]' })
  assert.equal(result.findings.filter(({ reason }) => reason === 'placeholder').length, 3)
  assert.ok(result.findings.every(({ reason }) => reason !== 'template_syntax'))
  assert.match(
    (await previewCampaign(ctx, { workspaceId: shop.id, id, email: null })).text,
    /\*\|FNAME\|\*/,
  )
  await api.run(
    `update campaign set source = '{"kind":"text","text":"Hi *|FNAME|*, dear *|FNAME|*"}' where id = '${id}'`,
  )
  const stored = await preflight(id)
  finds(stored, 'warning', 'template_syntax', { value: '*|FNAME|*', ours: '{{firstName}}' })
  assert.equal(
    stored.findings.filter(({ reason }) => reason === 'template_syntax').length,
    1,
    'each once',
  )
})

test('preflight: an address that was taken away is named', async () => {
  const html =
    '<p><a href="shop-app://cart">Your cart</a><img src="cid:logo" alt="Shop"><a href="tel:*21">Call</a></p>'
  const result = await preflight(await draftOf(api, shop, { text: undefined, html }))
  finds(result, 'warning', 'address_removed', { url: 'shop-app://cart' })
  finds(result, 'warning', 'address_removed', { url: 'cid:logo' })
  assert.equal(result.findings.filter(({ reason }) => reason === 'address_removed').length, 2)
})

test('preflight: an unknown host gets one request in some minutes, however often a user checks', async () => {
  const outbound = createOutbound({
    allowed: subnetList(loopbackRanges),
    allowsRanges: true,
    userAgent: 'Facteur',
  })
  let nowMs = 0
  const clock = { ...ctx.clock, monotonicMs: () => nowMs }
  const check = (signal = new AbortController().signal) =>
    checkLinks({ outbound, signal, clock }, { links: [at('/good'), at('/gone')], images: [] })
  await check(AbortSignal.abort())
  const before = requests.length
  const first = await check()
  assert.deepEqual(await check(), first)
  assert.equal(requests.length, before + 2)
  // A failed link is requested again soon, so that a mended one shows.
  nowMs = 2 * 60_000
  await check()
  assert.deepEqual(requests.slice(before + 2), ['/gone'])
  await outbound.close()
})

test('preflight: pictures without words, fields that no subscriber has, and a mail that Gmail cuts', async () => {
  const content = [
    { type: 'image', src: at('/a.png') },
    { type: 'image', src: at('/b.png'), alt: '' },
    { type: 'paragraph', text: '{{fields.town}} {{fields.village | default: "x"}}' },
  ]
  const result = await preflight(await draftOf(api, shop, { text: null, content }))
  finds(result, 'warning', 'no_alt', { src: at('/a.png') })
  assert.equal(result.findings.filter(({ reason }) => reason === 'no_alt').length, 1)
  finds(result, 'warning', 'unknown_field', { field: 'town' })
  assert.equal(result.findings.filter(({ reason }) => reason === 'unknown_field').length, 1)
  const long = await preflight(await draftOf(api, shop, { text: 'word '.repeat(25_000) }))
  finds(long, 'problem', 'too_large', { max: 104_448 })
})

test('preflight: readers without a value for a tag are counted, by tag, with its default where it has one', async () => {
  const list = await api.workspace('values')
  await subscribe(list, 'ada@example.com', { firstName: 'Ada', fields: { city: 'Paris' } })
  await subscribe(list, 'bob@example.com', { firstName: '' })
  await subscribe(list, 'eve@example.com')
  await subscribe(list, 'gone@example.com')
  await ask(api.baseUrl, 'DELETE /api/v1/subscribers/gone@example.com', { key: list.key })
  const result = (text: string) =>
    draftOf(api, list, { subject: 'Dear {{firstName}}', text }).then((id) =>
      preflight(id, { workspace: list }),
    )
  const gaps = await result(
    '{{ fields.city }} {{lastName | default: "friend"}} {{email}} {{unsubscribe_url}}',
  )
  finds(gaps, 'warning', 'missing_value', { tag: 'firstName', count: 2 })
  finds(gaps, 'warning', 'missing_value', { tag: 'fields.city', count: 2 })
  finds(gaps, 'ok', 'default_shown', { tag: 'lastName', count: 3, fallback: 'friend' })
  assert.equal(gaps.findings.filter(({ check }) => check === 'fields').length, 3)
  const filled = await draftOf(api, list, {
    subject: '{{firstName | default: "you"}}',
    text: '{{firstName | default: "all"}} {{fields.town | default: "here"}}',
  }).then((id) => preflight(id, { workspace: list }))
  finds(filled, 'ok', 'good', { tags: 3 })
  finds(filled, 'ok', 'default_shown', { tag: 'firstName', count: 2, fallback: 'you' })
  finds(filled, 'ok', 'default_shown', { tag: 'fields.town', count: 3, fallback: 'here' })
  const unknown = await result('{{fields.town}}')
  finds(unknown, 'warning', 'unknown_field', { field: 'town' })
  assert.equal(
    unknown.findings.filter(({ check }) => check === 'fields').length,
    2,
    'the field that nobody has counts once',
  )
})

test('preflight: excluded recipients with reasons and counts; quota and reputation', async () => {
  const list = await api.workspace('list', { monthlyQuota: 3 })
  const id = await draftOf(api, list)
  finds(await preflight(id, { workspace: list }), 'problem', 'no_recipients')
  for (let n = 1; n <= 8; n++) await subscribe(list, `p${n}@example.com`)
  await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: list.key,
    body: { email: 'waits@example.com' },
  })
  await ask(api.baseUrl, 'DELETE /api/v1/subscribers/p8@example.com', { key: list.key })
  await list.suppress('p6@example.com', 'manual')
  // Closed without having been moved.
  await api.suppressOnPlatform('p7@example.com')
  const result = await preflight(id, { workspace: list })
  assert.equal(result.audience.reachable, 5)
  for (const [reason, count] of [
    ['pending', 1],
    ['unsubscribed', 2],
    ['suppressed by the platform', 1],
  ])
    finds(result, 'ok', 'held_back', { reason, count })
  finds(result, 'problem', 'quota_exceeded', { needed: 5, remaining: 3 })
  await list.setReputation({ handOffs: 1000, bounces: 0, complaints: 50 })
  finds(await preflight(id, { workspace: list }), 'problem', 'reputation_blocked', {
    complaint_rate: 0.05,
  })
})

test('preflight is only for campaigns that may still be sent', async () => {
  const id = await draftOf(api, shop)
  await api.run(`update campaign set status = 'sent' where id = '${id}'`)
  await assert.rejects(preflight(id), { code: 'conflict' })
})
