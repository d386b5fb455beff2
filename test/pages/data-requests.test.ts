/**
 * What a contact gets of what is stored about them: a link by mail, which works once, and never to a
 * suppressed address, whose page offers erasure.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import type { LinkPurpose } from '../../src/ground/link-tokens.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
import { draftOf, send, untilSent } from '../support/campaign-world.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { open, press, type VisitedPage } from '../support/signed-in-visitor.ts'
import { until } from '../support/until.ts'

/** How often the data of a contact was read. */
let reads = 0
/** Throws at the named position, as often as the test says. */
const breaking = { at: '', times: 0 }
const failpoints = {
  hit(name: string): Promise<void> | undefined {
    if (name === 'data.read') reads++
    if (breaking.at !== name || breaking.times === 0) return undefined
    breaking.times--
    return Promise.reject(new Error('The process is gone'))
  },
  broken: () => false,
}

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined }
const api = await startApi({
  entry: operatorEntryPoints(),
  settings: { language: 'en' },
  failpoints,
  log: silent as never,
})
const { db } = api.service
const base = api.baseUrl
const acme = await api.workspace('acme')
const other = await api.workspace('other')
const owner = await signIn(api, { in: { [acme.id]: 'owner' } })
const campaign = '01900000-0000-7000-8000-000000000001'
const english = { 'accept-language': 'en' }

const allow = async (isAllowed: boolean, contact: string | null = 'privacy@acme.test') => {
  const body = { data_requests: isAllowed, contact }
  assertAnswered(await owner.ask('PATCH /workspaces/acme/api/v1/settings', { body }), 200, body)
}
await allow(true)

interface Contact {
  id: string
  email: string
  workspace: TestWorkspace
}

async function addContact(email: string, workspace = acme): Promise<Contact> {
  const body = { email, firstName: 'Camille', double_opt_in: false }
  const added = await ask(base, 'POST /api/v1/subscribers', { key: workspace.key, body })
  return { id: textAt(added, 'id'), email, workspace }
}

const pathOf = ({ id, workspace }: Contact, path = 'unsubscribe', rest = ''): string =>
  `/${path}/${api.service.linkTokens.make('unsubscribe', {
    workspaceId: workspace.id,
    first: campaign,
    second: id,
  })}${rest}`

const pageOf = (contact: Contact): Promise<VisitedPage> =>
  open(base, pathOf(contact), { headers: english })

const post = (path: string, body: Record<string, string> = {}): Promise<VisitedPage> =>
  open(base, path, { method: 'POST', headers: english, body: new URLSearchParams(body) })

const askFor = (contact: Contact): Promise<VisitedPage> =>
  post(pathOf(contact, 'preferences', '/data'))

/** Paths of the links that were mailed to the contact. */
async function linksTo({ email, workspace }: Contact): Promise<string[]> {
  const rows = await db.rows<{ raw: Buffer }>(sql`
    select raw from captured_mail where workspace_id = ${workspace.id} and recipient = ${email}`)
  return rows.flatMap(({ raw }) => {
    const text = raw.toString().replaceAll('=\r\n', '')
    const path = /\/data\/[\w-]{64}/.exec(text)?.[0]
    return path === undefined ? [] : [path]
  })
}

async function linkTo(contact: Contact): Promise<string> {
  assert.equal((await askFor(contact)).status, 200)
  const [link] = await until(
    () => linksTo(contact),
    (links) => links.length > 0,
  )
  return link ?? ''
}

const askErasure = (contact: Contact): Promise<VisitedPage> =>
  post(pathOf(contact, 'preferences', '/erasure'))

/** Texts of the mails about erasures to acme, the oldest first. */
const requestsMailed = () =>
  db.column<string>(sql`
    select b.text
    from recipient r join message m on m.workspace_id = ${acme.id} and m.id = r.message_id
    join message_body b on b.workspace_id = ${acme.id} and b.message_id = m.id
    where r.workspace_id = ${acme.id} and r.address_key = 'privacy@acme.test'
      and m.subject like '%requested erasure%'
    order by m.created_at, m.id`)

const evidenceOf = ({ id, workspace }: Contact) =>
  db.column<string>(sql`
    select act from choice_evidence where workspace_id = ${workspace.id} and subscriber_id = ${id}
    order by at, id`)

const noticesTo = ({ email, workspace }: Contact) =>
  db.onlyValue<number>(sql`
    select count(*)::int as count from recipient
    where workspace_id = ${workspace.id} and address_key = ${email}`)

const auditOf = (workspaceId = acme.id) =>
  db.rows<{ who: string; act: string; subject: string; ip: string | null }>(sql`
    select who, act, subject, ip from audit_log
    where workspace_id = ${workspaceId} and (act like 'subscriber.data%' or act like '%eras%')
    order by id`)

let ahead = 0
/** Also so far that the hour of the limits by network is over. */
async function later(seconds: number): Promise<void> {
  ahead += seconds
  await api.moveClock(`${ahead} seconds`)
}

test('off by default: the page offers nothing, nothing is mailed, and a link of before shows nothing', async () => {
  const foreign = await addContact('default@example.com', other)
  assert.doesNotMatch((await pageOf(foreign)).text, /Your data/)
  assert.equal((await askFor(foreign)).status, 303)
  const contact = await addContact('switched@example.com')
  const link = await linkTo(contact)
  await allow(false)
  assert.doesNotMatch((await pageOf(contact)).text, /Your data/)
  assert.equal((await askFor(contact)).status, 303)
  const shut = await post(link)
  assert.deepEqual([shut.status, shut.title], [410, 'This link is no longer valid'])
  assert.match(shut.text, /acme shows no data by links any more/)
  assert.doesNotMatch(shut.text, /You can ask for one/)
  await allow(true)
  assert.equal((await post(link)).status, 200)
  assert.match((await post(link)).text, /You can ask for one a day/)
  assert.equal(await noticesTo(foreign), 0)
})

test('a contact asks on their page, a link is mailed to them, and its button shows record, consent and mails, once', async () => {
  const contact = await addContact('asks@example.com')
  assertAnswered(
    await ask(base, 'POST /api/v1/emails', {
      key: acme.key,
      body: { from: `hello@${acme.domain}`, to: contact.email, subject: 'Receipt 7', text: 'Paid' },
    }),
    202,
  )
  const page = await pageOf(contact)
  assert.match(page.markup, /action="\/preferences\/[\w-]{64}\/data"/)
  assert.match(page.text, /a link to your record, your choices and the list of e-mails sent to you/)
  await db.count(sql`
    insert into subscriber_field (workspace_id, key, label, created_at)
    values (${acme.id}, 'shoe_size', 'Shoe size', facteur_now())`)
  await db.count(sql`update subscriber set fields = '{"shoe_size": "38"}' where id = ${contact.id}`)
  await db.count(sql`update workspace set time_zone = 'Europe/Paris' where id = ${acme.id}`)
  const link = await linkTo(contact)

  const read = await open(base, link, { headers: english })
  assert.deepEqual([read.status, read.title], [200, 'Read your data'])
  assert.doesNotMatch(
    read.markup,
    /asks@example\.com|Camille|Receipt/,
    'the link alone shows no data',
  )
  const head = await fetch(new URL(link, base), { method: 'HEAD' })
  assert.equal(head.status, 200, 'a scanner does not use it')

  const shown = await press(base, read, {}, english)
  assert.deepEqual([shown.status, shown.title], [200, 'What acme stores about you'])
  for (const what of [
    'asks@example.com',
    'Camille',
    'Receipt 7',
    'You were registered without',
    'Shoe size',
    'Times are in Europe/Paris',
  ])
    assert.ok(shown.text.includes(what), what)
  assert.equal(shown.headers.get('cache-control'), 'no-store')
  assert.doesNotMatch(shown.markup, /<script|style="/)

  const file = await press(base, shown, {}, english)
  assert.equal(file.headers.get('content-disposition'), 'attachment; filename="data.json"')
  const known: unknown = JSON.parse(file.markup)
  assert.equal(at(known, 'subscriber', 'firstName'), 'Camille')
  const exported = await ask(base, `GET /api/v1/subscribers/${contact.email}/export`, {
    key: acme.key,
  })
  assert.deepEqual(Object.keys(known as object), Object.keys(exported.body as object))

  for (const again of [link, shown.form?.action ?? '']) {
    const used = await post(again)
    assert.deepEqual([used.status, used.title], [410, 'This link is no longer valid'])
    assert.doesNotMatch(used.text, /Camille/)
  }
  assert.equal((await open(base, link, { headers: english })).status, 410)
})

test('request, page and file are evidence, in the timeline and in the audit log, without an address of theirs', async () => {
  const contact = await addContact('evidence@example.com')
  const before = (await auditOf()).length
  const shown = await post(await linkTo(contact))
  await press(base, shown)
  assert.deepEqual(await evidenceOf(contact), ['data_requested', 'data_opened', 'data_downloaded'])
  const rest = { who: 'contact', subject: contact.id, ip: null }
  assert.deepEqual((await auditOf()).slice(before), [
    { ...rest, act: 'subscriber.data_requested' },
    { ...rest, act: 'subscriber.data_opened' },
    { ...rest, act: 'subscriber.data_opened' },
  ])
  const path = `GET /workspaces/acme/api/v1/contacts/${contact.id}/timeline`
  const entries = at((await owner.ask(path)).body, 'data') as { consent: { act: string } | null }[]
  assert.deepEqual(entries.flatMap(({ consent }) => (consent ? [consent.act] : [])).slice(0, 3), [
    'data_downloaded',
    'data_opened',
    'data_requested',
  ])
  const rows = await db.rows<{ shown: string; ip: string; campaignId: string | null }>(sql`
    select shown, ip, campaign_id from choice_evidence
    where subscriber_id = ${contact.id} and act = 'data_requested'`)
  assert.match(rows[0]?.shown ?? '', /a link to your record.*\n\[E-mail me the link\]$/s)
  assert.deepEqual([rows[0]?.ip, rows[0]?.campaignId], ['127.0.0.1', campaign])
})

test('one link a day: a second request gets the same answer and no mail; a day later there is another', async () => {
  const contact = await addContact('daily@example.com')
  const first = await linkTo(contact)
  const [answer, again] = [await askFor(contact), await askFor(contact)]
  assert.deepEqual([again.status, again.markup], [answer.status, answer.markup])
  assert.equal(await noticesTo(contact), 1)
  await later(23 * 3_600)
  await askFor(contact)
  assert.equal(await noticesTo(contact), 1)
  await later(2 * 3_600)
  assert.equal((await askFor(contact)).status, 200)
  assert.equal(await noticesTo(contact), 2)
  assert.equal((await post(first)).status, 410, 'the link of the day before')
})

test('a link works for an hour, and so does the button of the file', async () => {
  const [late, soon] = [await addContact('late@example.com'), await addContact('soon@example.com')]
  const [lateLink, soonLink] = [await linkTo(late), await linkTo(soon)]
  await later(3_500)
  const shown = await post(soonLink)
  assert.equal(shown.status, 200)
  await later(200)
  assert.equal((await post(lateLink)).status, 410)
  await later(3_500)
  assert.equal((await press(base, shown)).status, 410)
})

test('the hour begins when the mail has left, however long it waited', async () => {
  const contact = await addContact('waited@example.com')
  const link = await linkTo(contact)
  await until(
    () =>
      db.onlyValue<number>(sql`
        select count(*)::int as count from recipient
        where workspace_id = ${acme.id} and address_key = ${contact.email} and sent_at is not null`),
    (sent) => sent === 1,
  )
  await db.count(sql`
    update choice_evidence set at = at - interval '20 hours' where subscriber_id = ${contact.id}`)
  assert.equal((await open(base, link, { headers: english })).status, 200)
  await later(3_700)
  assert.equal((await open(base, link, { headers: english })).status, 410)
})

test('many requests at once by one link: one is shown the data, and few read it', async () => {
  const contact = await addContact('twice@example.com')
  const link = await linkTo(contact)
  const [before, answers] = [reads, await Promise.all(Array.from({ length: 8 }, () => post(link)))]
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
    200,
    ...Array.from({ length: 7 }, () => 410),
  ])
  assert.ok(reads - before <= 2, String(reads - before))
})

test('a suppressed address gets no mail, also where it was suppressed after its page was shown; its page names whom to write to, and offers to ask for erasure', async () => {
  for (const reason of ['unsubscribe', 'bounce', 'complaint', 'manual'] as const) {
    const contact = await addContact(`${reason}@example.com`)
    await acme.suppress(contact.email, reason)
    const page = await pageOf(contact)
    assert.match(
      page.text,
      /For a copy of it, write to privacy@acme\.test\. You can also ask for its erasure\./,
    )
    assert.doesNotMatch(page.markup, /\/data"|\/erase"/)
    assert.match(page.markup, /\/erasure"/)
    assert.equal((await askFor(contact)).headers.get('location'), pathOf(contact))
    assert.equal(await noticesTo(contact), 0)
    assert.deepEqual(await evidenceOf(contact), [])
  }
  const platform = await addContact('platform@example.com')
  await api.suppressOnPlatform(platform.email)
  assert.equal((await askFor(platform)).status, 303)
  await allow(true, null)
  assert.match((await pageOf(platform)).text, /write to hello@acme\.test/)
  await allow(true)
})

test('whatever suppressed an address, its link erases nobody', async () => {
  await later(3_700)
  const contact = await addContact('forwarded@example.com')
  await post(pathOf(contact))
  for (const reason of ['bounce', 'complaint'] as const) {
    await acme.suppress(contact.email, reason)
    const erased = await post(pathOf(contact, 'preferences', '/erase'), { sure: 'yes' })
    assert.equal(erased.status, 404)
    await askErasure(contact)
  }
  const row = await db.rows(sql`select status from subscriber where id = ${contact.id}`)
  assert.equal(row.length, 1)
})

test('who left asks for erasure: stored, in the audit log, and mailed to the workspace, once a day, without their address', async () => {
  await later(3_700)
  const contact = await addContact('wants@example.com')
  const [before, log] = [await requestsMailed(), (await auditOf()).length]
  assert.equal((await askErasure(contact)).status, 303, 'who is subscribed has no such offer')
  await post(pathOf(contact))
  const answer = await press(base, await pageOf(contact), {}, english)
  assert.deepEqual([answer.status, answer.title], [200, 'Your request is recorded'])
  assert.match(answer.text, /acme was asked to erase your data\..*write to privacy@acme\.test/)
  Object.assign(breaking, { at: 'data.asked', times: 1 })
  assert.equal((await askErasure(contact)).markup, answer.markup, 'nothing is written again')
  breaking.times = 0
  assert.deepEqual(await evidenceOf(contact), ['erasure_requested'])
  assert.deepEqual((await auditOf()).slice(log), [
    { who: 'contact', act: 'subscriber.erasure_requested', subject: contact.id, ip: null },
  ])
  const known = await owner.ask(`GET /workspaces/acme/api/v1/contacts/${contact.id}`)
  assert.match(JSON.stringify(known.body), /\[Ask for erasure\].*"act":"erasure_requested"/)
  const mails = await requestsMailed()
  assert.equal(mails.length, before.length + 1)
  const mail = mails.at(-1) ?? ''
  assert.ok(mail.includes(`${base}/app/acme/subscribers/${contact.id}`))
  assert.doesNotMatch(mail, /wants@/)
  await later(25 * 3_600)
  await askErasure(contact)
  assert.equal((await requestsMailed()).length, before.length + 2)
})

test('an hour has a limit of mails about erasures to a workspace; the requests beyond are stored', async () => {
  await later(3_700)
  const before = (await requestsMailed()).length
  for (let n = 0; n < 12; n++) {
    const contact = await addContact(`many${n}@example.com`)
    await acme.suppress(contact.email, 'manual')
    assert.equal((await askErasure(contact)).status, 200)
    assert.deepEqual(await evidenceOf(contact), ['erasure_requested'])
  }
  assert.equal((await requestsMailed()).length, before + 10)
})

test('an erased contact: a link that was mailed before shows nothing', async () => {
  const contact = await addContact('gone@example.com')
  const link = await linkTo(contact)
  assertAnswered(
    await ask(base, `POST /api/v1/subscribers/${contact.email}/erase`, { key: acme.key }),
    200,
  )
  assert.equal((await open(base, link)).status, 410)
  assert.equal((await post(link)).status, 410)
  assert.equal((await askFor(contact)).status, 303)
  assert.deepEqual(await evidenceOf(contact), [])
})

test('404: no token of ours, one of another purpose, and the subject of a link in another workspace; 410: a link in place of that of the file', async () => {
  const contact = await addContact('tokens@example.com')
  const link = await linkTo(contact)
  const token = link.split('/')[2] ?? ''
  const { first, second } = api.service.linkTokens.read('data', token) ?? { first: '', second: '' }
  const linkBy = (purpose: LinkPurpose, workspaceId: number): string =>
    `/data/${api.service.linkTokens.make(purpose, { workspaceId, first, second })}`
  for (const purpose of ['confirm', 'unsubscribe', 'view', 'track', 'form'] as const)
    assert.equal((await post(linkBy(purpose, acme.id))).status, 404, purpose)
  await db.count(sql`update workspace set data_requests = true where id = ${other.id}`)
  assert.equal((await post(linkBy('data', other.id))).status, 410)
  assert.equal((await post(`/preferences/${token}/data`)).status, 404)
  assert.equal((await post(`/preferences/${token}/erasure`)).status, 404)
  assert.equal((await post(`${link}/file`)).status, 410)
  assert.equal((await post(link)).status, 200)
})

test('what other members wrote and who they are is not in it, nor what another workspace knows', async () => {
  const contact = await addContact('both@example.com')
  await addContact('both@example.com', other)
  await db.count(sql`
    update consent_evidence set recorded_by = 'ada@acme.test', source = 'workspace'
    where subscriber_id = ${contact.id}`)
  await db.count(sql`
    insert into consent_evidence (workspace_id, id, subscriber_id, email, act, shown, source, recorded_by, at)
    values (${acme.id}, ${api.service.makeId()}, ${contact.id}, ${contact.email}, 'unsubscribed',
      'A nuisance', 'workspace', 'ada@acme.test', facteur_now())`)
  const name = 'Once more to bad payers'
  const mail = await draftOf(api, acme, { name, subject: 'News for {{firstName}}' })
  assertAnswered(await send(api, acme, mail), 202)
  await untilSent(api, acme, mail)
  const shown = await post(await linkTo(contact))
  const file = await press(base, shown)
  for (const { markup } of [shown, file]) {
    assert.doesNotMatch(markup, /ada@acme\.test|A nuisance|bad payers|{{/)
    assert.ok(markup.includes('News for Camille'))
  }
  assert.ok(shown.text.includes('acme unsubscribed you'))
  assert.doesNotMatch(shown.text, /You unsubscribed/)
  const known: unknown = JSON.parse(file.markup)
  assert.deepEqual(
    ['consents', 'campaigns'].map((list) => Object.keys(at(known, list, '0') as object).toSorted()),
    [
      ['act', 'at', 'ip', 'shown', 'source', 'topic', 'user_agent'],
      [
        ...['clicked_at', 'delivered_at', 'opened_at', 'sent_at', 'status', 'subject'],
        'unsubscribed_at',
      ],
    ],
  )
  assert.equal(await noticesTo({ ...contact, workspace: other }), 0)
})

test('no key lists the mail of the link, and no member reads it', async () => {
  const contact = await addContact('private@example.com')
  const link = await linkTo(contact)
  const reader = await acme.makeKey(['captured:read'])
  const query = new URLSearchParams({ to: contact.email })
  const listed = await ask(base, `GET /api/v1/captured?${query.toString()}`, { key: reader })
  assertAnswered(listed, 200, { data: [] })
  const mails = await owner.ask(`GET /workspaces/acme/api/v1/contacts/${contact.id}/mails`)
  assert.doesNotMatch(JSON.stringify(mails.body), /your data/i)
  assert.equal((await post(link)).status, 200)
})

test('a process that ends before the commit has mailed nothing, and the contact may ask again; one that ends before the data is shown leaves the link as it was', async () => {
  const contact = await addContact('killed@example.com')
  Object.assign(breaking, { at: 'data.asked', times: 1 })
  assert.equal((await askFor(contact)).status, 500)
  assert.deepEqual([await evidenceOf(contact), await noticesTo(contact)], [[], 0])
  const link = await linkTo(contact)
  Object.assign(breaking, { at: 'data.read', times: 1 })
  assert.equal((await post(link)).status, 500)
  assert.deepEqual(await evidenceOf(contact), ['data_requested'])
  assert.equal((await post(link)).status, 200)
})

test('a restored backup knows no link of before, used or not', async () => {
  const contact = await addContact('restored@example.com')
  const link = await linkTo(contact)
  await db.count(sql`
    insert into installation (master_key_fingerprint, created_at, restored_at)
    values ('', facteur_now(), facteur_now())`)
  assert.equal((await open(base, link)).status, 410)
  assert.equal((await post(link)).status, 410)
  await db.count(sql`delete from installation`)
  assert.equal((await post(link)).status, 200)
})

test('429: an hour has a limit of requests from one network', async () => {
  await later(3_700)
  const contact = await addContact('often@example.com')
  for (let n = 0; n < 20; n++) assert.equal((await askFor(contact)).status, 200)
  assert.equal((await askFor(contact)).status, 429)
  await db.count(sql`update subscriber set language = 'nl' where id = ${contact.id}`)
  assert.equal((await askFor(contact)).lang, 'nl', 'the language that the contact chose')
  assert.equal(await noticesTo(contact), 1)
})

test('without a sender that can send, the page names whom to write to', async () => {
  const contact = await addContact('nosender@example.com')
  await db.count(sql`delete from sender where workspace_id = ${acme.id}`)
  assert.match(
    (await pageOf(contact)).text,
    /cannot send e-mails at the moment.*write to privacy@acme\.test/s,
  )
  await allow(true, null)
  assert.doesNotMatch((await pageOf(contact)).text, /Your data/)
})
