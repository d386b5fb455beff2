/**
 * The links of mails over HTTP: opening one changes nothing, the button or the one-click POST acts
 * (security: What people reach).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeForm } from '../../src/core/forms/make-form.ts'
import { writeFormId } from '../../src/core/input/form-id.ts'
import { unsubscribeSubscriber } from '../../src/core/suppression/unsubscribe-subscriber.ts'
import { sql } from '../../src/database/client/sql.ts'
import { upsertSuppression } from '../../src/db/suppression/suppressions.ts'
import type { MailPurpose } from '../../src/ground/link-tokens.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { untilWaits } from '../support/database.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { press, open } from '../support/signed-in-visitor.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints({ trustProxy: '127.0.0.0/8' }) })
const workspace = await api.workspace('acme')
const base = api.baseUrl
const nobody = '00000000-0000-0000-0000-000000000000'
const campaign = '01900000-0000-7000-8000-000000000001'

interface Contact {
  id: string
  email: string
  status: string
  updatedAt: Date
}

async function addUser(
  email: string,
  body: object = { double_opt_in: false },
  owner: TestWorkspace = workspace,
): Promise<Contact> {
  assertAnswered(
    await ask(base, 'POST /api/v1/subscribers', { key: owner.key, body: { email, ...body } }),
    201,
  )
  return find(email, owner)
}

async function find(email: string, owner: TestWorkspace = workspace): Promise<Contact> {
  const [row] = await api.service.db.rows<Contact>(
    sql`select * from subscriber where workspace_id = ${owner.id} and email = ${email}`,
  )
  return row ?? assert.fail(`Nobody has ${email}`)
}

const linkOf = (purpose: MailPurpose, { id }: { id: string }, first = nobody): string =>
  `/${purpose}/${api.service.linkTokens.make(purpose, { workspaceId: workspace.id, first, second: id })}`

/** The link of the mail that asks this address to confirm, once it has left. */
async function confirmLink(email: string, owner: TestWorkspace = workspace): Promise<string> {
  const token = await until(async () => {
    const [row] = await api.service.db.rows<{ raw: Buffer }>(sql`
      select raw from captured_mail where workspace_id = ${owner.id} and recipient = ${email} order by captured_at desc limit 1`)
    return row && /\/confirm\/([\w-]{64})/.exec(row.raw.toString().replaceAll('=\r\n', ''))?.[1]
  })
  return `/confirm/${token}`
}

interface Evidence {
  act: string
  source: string
  shown: string | null
  ip: string | null
  userAgent: string | null
  messageId: string | null
  campaignId: string | null
}

const evidenceOf = ({ id }: Contact): Promise<Evidence[]> =>
  api.service.db.rows<Evidence>(
    sql`select * from consent_evidence where workspace_id = ${workspace.id} and subscriber_id = ${id} order by id`,
  )

test('an address that is suppressed while its contact confirms does not stay subscribed', async () => {
  const { db, makeId } = api.service
  const email = 'closing-meanwhile@example.com'
  await addUser(email, {})
  const page = await open(base, await confirmLink(email))
  const pressed = await db.transaction(async (tx) => {
    // The list was looked at, and the evidence waits to be written.
    await tx.rows(sql`lock table consent_evidence in share mode`)
    const answer = press(base, page)
    await untilWaits(api.database.url, 'insert into consent_evidence')
    await upsertSuppression(db, workspace.id, {
      id: makeId(),
      email,
      reason: 'manual',
      sourceId: null,
    })
    return { answer }
  })
  assert.equal((await pressed.answer).status, 200)
  assert.equal((await find(email)).status, 'unsubscribed')
})

/** All rows about contacts, which a request without an effect leaves unchanged. */
async function everything(): Promise<string> {
  const parts = await Promise.all([
    api.service.db.rows(sql`select * from subscriber order by workspace_id, id`),
    api.service.db.rows(sql`select * from suppression order by workspace_id, email`),
    api.service.db.rows(sql`select * from consent_evidence order by workspace_id, id`),
    api.service.db.rows(sql`select * from sign_up order by workspace_id, id`),
  ])
  return JSON.stringify(parts)
}

/** As link scanners, previews and browsers that look ahead come. */
const polls: RequestInit[] = [
  { method: 'GET' },
  { method: 'HEAD' },
  { method: 'GET', headers: { purpose: 'prefetch' } },
  { method: 'GET', headers: { 'sec-purpose': 'prefetch' } },
  { method: 'GET', headers: { 'sec-purpose': 'prefetch;prerender', 'sec-fetch-mode': 'navigate' } },
  { method: 'HEAD', headers: { purpose: 'prefetch' } },
  {
    method: 'OPTIONS',
    headers: { origin: 'https://mail.example', 'access-control-request-method': 'POST' },
  },
]

test('every link, by GET, HEAD and prefetch: nothing changes; one one-click POST unsubscribes exactly one contact', async () => {
  const form = await makeForm(api.service, {
    workspaceId: workspace.id,
    form: { name: 'News', intro: null, consent: null, asks: [], tags: [] },
  })
  const contacts = await Promise.all(
    ['a', 'b', 'c'].map((name) => addUser(`${name}@crawl.example`)),
  )
  await addUser('pending@crawl.example', {})
  const confirm = await confirmLink('pending@crawl.example')
  const links = [
    ...contacts.flatMap((contact) => [
      linkOf('unsubscribe', contact),
      linkOf('unsubscribe', contact, campaign),
    ]),
    confirm,
    `/forms/${writeFormId({ workspaceId: workspace.id, id: form.id })}`,
  ]
  const before = await everything()
  for (const link of links) {
    for (const query of polls) {
      const answer = await open(base, link, query)
      if (query.method !== 'OPTIONS') assert.equal(answer.status, 200, `${query.method} ${link}`)
      if (query.method === 'HEAD') assert.equal(answer.markup, '')
    }
  }
  assert.equal(await everything(), before)
  const statuses = (): Promise<{ email: string; status: string }[]> =>
    api.service.db.rows(
      sql`select email, status from subscriber where workspace_id = ${workspace.id} and email like '%@crawl.example' order by email`,
    )
  const [first] = contacts
  assert.ok(first)
  const answer = await open(base, linkOf('unsubscribe', first, campaign), {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  })
  assert.equal(answer.status, 200)
  assert.deepEqual(
    (await statuses()).map(({ email, status }) => `${email} ${status}`),
    [
      'a@crawl.example unsubscribed',
      'b@crawl.example subscribed',
      'c@crawl.example subscribed',
      'pending@crawl.example pending',
    ],
  )
})

test('one-click: form-encoded and multipart, without cookie and origin, 200, again 200, with the evidence once', async () => {
  const multipart = new FormData()
  multipart.append('List-Unsubscribe', 'One-Click')
  const bodies: [string, string | FormData][] = [
    ['form@one.example', 'List-Unsubscribe=One-Click'],
    ['multipart@one.example', multipart],
  ]
  for (const [email, body] of bodies) {
    const contact = await addUser(email)
    const link = linkOf('unsubscribe', contact, campaign)
    const headers = {
      ...{ 'x-forwarded-for': '192.0.2.9', 'user-agent': 'MailProgram/1' },
      ...(typeof body === 'string' && { 'content-type': 'application/x-www-form-urlencoded' }),
    }
    for (const time of ['first', 'second']) {
      const answer = await open(base, link, { method: 'POST', headers, body })
      assert.deepEqual(
        [answer.status, answer.headers.get('set-cookie'), answer.headers.get('location')],
        [200, null, null],
        time,
      )
      assert.equal((await find(email)).status, 'unsubscribed')
    }
    const left = (await evidenceOf(contact)).filter(({ act }) => act === 'unsubscribed')
    assert.partialDeepStrictEqual(left, [
      { source: 'one-click', ip: '192.0.2.9', userAgent: 'MailProgram/1', campaignId: campaign },
    ])
    assert.equal(left.length, 1)
    const entries = await ask(base, `GET /api/v1/suppression?email=${email}`, {
      key: workspace.key,
    })
    assertAnswered(entries, 200, { data: [{ email, reason: 'unsubscribe', source_id: campaign }] })
  }
})

test('two one-click POSTs at once: both 200, one entry, one evidence', async () => {
  const contact = await addUser('twice@one.example')
  const post = () =>
    open(base, linkOf('unsubscribe', contact), {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })
  const answers = await Promise.all([post(), post(), post()])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.equal((await evidenceOf(contact)).filter(({ act }) => act === 'unsubscribed').length, 1)
})

test('leaving by the mail of a campaign is counted for it, once', async () => {
  const contact = await addUser('counted@one.example')
  const id = api.service.makeId()
  await api.run(`
    insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)
    values (${workspace.id}, '${id}', 'News', 'News', 'text', '{}', 'sending', facteur_now(), facteur_now());
    insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email) values (${workspace.id}, '${id}', '${contact.id}', '${contact.email}')`)
  for (let count = 0; count < 3; count++)
    await open(base, linkOf('unsubscribe', contact, id), { method: 'POST' })
  const tallies = await api.service.db.rows(sql`
    select measure, count from campaign_tally where workspace_id = ${workspace.id} and campaign_id = ${id}`)
  assert.deepEqual(tallies, [{ measure: 'unsubscribed', count: 1 }])
})

const leavingWords = {
  en: {
    asks: 'Unsubscribe ada@page.example from leaving-en?',
    stops:
      /This stops every e-mail from leaving-en: newsletters, and single messages such as receipts/,
    done: 'You are unsubscribed',
    stopped:
      /ada@page\.example will no longer receive any e-mail from leaving-en: no newsletters, and no single messages/,
    back: 'Subscribe again',
  },
  fr: {
    asks: 'Désinscrire ada@page.example des e-mails de leaving-fr\u00a0?',
    stops:
      /Cela arrête tous les e-mails de leaving-fr\u00a0: les newsletters, mais aussi les messages individuels/,
    done: 'Désinscription confirmée',
    stopped:
      /ada@page\.example ne recevra plus aucun e-mail de leaving-fr\u00a0: ni newsletter, ni message individuel/,
    back: 'S’inscrire de nouveau',
  },
}

for (const [language, words] of Object.entries(leavingWords)) {
  test(`${language}, the page to leave: it asks, and says that single messages stop too; after the click it confirms, with the way back`, async () => {
    const leaving = await api.workspace(`leaving-${language}`)
    const contact = await addUser('ada@page.example', { double_opt_in: false }, leaving)
    const token = api.service.linkTokens.make('unsubscribe', {
      workspaceId: leaving.id,
      first: nobody,
      second: contact.id,
    })
    const headers = { 'accept-language': language }
    const page = await open(base, `/unsubscribe/${token}`, { headers })
    assert.deepEqual([page.status, page.title, page.lang], [200, words.asks, language])
    assert.match(page.text, words.stops)
    assert.doesNotMatch(page.text, words.stopped, 'nothing reads as done before the click')
    assert.equal((await find('ada@page.example', leaving)).status, 'subscribed')
    const done = await press(base, page, {}, headers)
    assert.deepEqual([done.status, done.title, done.form], [200, words.done, null])
    assert.match(done.text, words.stopped)
    assert.ok(!done.text.includes(words.back), 'there is no form to come back by')
    assert.equal((await find('ada@page.example', leaving)).status, 'unsubscribed')
    const { id } = await makeForm(api.service, {
      workspaceId: leaving.id,
      form: { name: 'News', intro: null, consent: null, asks: [], tags: [] },
    })
    const again = await open(base, `/unsubscribe/${token}`, { headers })
    assert.equal(again.title, words.done)
    assert.ok(
      again.markup.includes(
        `<a href="/forms/${writeFormId({ workspaceId: leaving.id, id })}?again=${token}">${words.back}</a>`,
      ),
    )
  })
}

test('the page to confirm: who asks, a button, and the evidence of it; again it is confirmed already', async () => {
  const contact = await addUser('confirm@page.example', {})
  const link = await confirmLink('confirm@page.example')
  const page = await open(base, link)
  assert.deepEqual([page.status, page.title, page.lang], [200, 'Confirmez votre inscription', 'fr'])
  assert.match(
    page.text,
    /acme vous demande si vous voulez recevoir ses e-mails à l’adresse confirm@page\.example/,
  )
  assert.equal((await find('confirm@page.example')).status, 'pending')
  const headers = { 'x-forwarded-for': '192.0.2.10', 'user-agent': 'Browser/1' }
  for (const answer of [
    await press(base, page, {}, headers),
    await press(base, page, {}, headers),
    await open(base, link),
  ])
    assert.deepEqual(
      [answer.status, answer.title, answer.form],
      [200, 'Votre inscription est confirmée', null],
    )
  assert.equal((await find('confirm@page.example')).status, 'subscribed')
  const [result, confirmed, ...others] = await evidenceOf(contact)
  assert.ok(result && confirmed)
  assert.deepEqual([result.act, confirmed.act, others], ['asked', 'confirmed', []])
  assert.partialDeepStrictEqual(confirmed, {
    source: 'api',
    ip: '192.0.2.10',
    userAgent: 'Browser/1',
    messageId: result.messageId,
  })
  assert.match(
    confirmed.shown ?? '',
    /acme vous demande si vous voulez recevoir ses e-mails à l’adresse confirm@page\.example\.\n\[Oui, je veux les recevoir\]/,
  )
})

test('a link to confirm that was overtaken: a contact who unsubscribed or was suppressed since stays out', async () => {
  const left = await addUser('left@page.example', {})
  const closed = await addUser('closed@page.example', {})
  const links = {
    left: await confirmLink('left@page.example'),
    closed: await confirmLink('closed@page.example'),
  }
  const pages = { left: await open(base, links.left), closed: await open(base, links.closed) }
  const leaving = {
    source: 'link',
    ip: null,
    userAgent: null,
    apiKeyId: null,
    campaignId: null,
  } as const
  await unsubscribeSubscriber(api.service, {
    workspaceId: workspace.id,
    leaver: { subscriberId: left.id },
    leaving,
  })
  await workspace.suppress('closed@page.example', 'manual')
  for (const page of [pages.left, pages.closed]) {
    const answer = await press(base, page)
    assert.deepEqual(
      [answer.status, answer.title, answer.form],
      [410, 'Ce lien n’est plus valable', null],
    )
  }
  assert.deepEqual(
    [(await find(left.email)).status, (await find(closed.email)).status],
    ['unsubscribed', 'unsubscribed'],
  )
})

test('a token that is bad, of another purpose or no contact: one plain page, no redirect, and nothing changes', async () => {
  const contact = await addUser('token@page.example')
  const good = linkOf('unsubscribe', contact).slice('/unsubscribe/'.length)
  const others = (['confirm', 'view', 'track'] as const).map(
    (purpose) => linkOf(purpose, contact).split('/')[2] ?? '',
  )
  const changed = `${good.slice(0, 10)}${good[10] === 'A' ? 'B' : 'A'}${good.slice(11)}`
  const before = await everything()
  for (const token of [...others, changed, `${good}A`, good.slice(1), 'x', '%2e%2e%2f', 'é']) {
    for (const method of ['GET', 'HEAD', 'POST']) {
      for (const path of [
        `/unsubscribe/${token}`,
        `/confirm/${token === others[0] ? good : token}`,
      ]) {
        const answer = await open(base, path, { method })
        assert.deepEqual(
          [answer.status, answer.headers.get('location')],
          [404, null],
          `${method} ${path}`,
        )
        if (method !== 'HEAD') assert.equal(answer.title, 'Ce lien n’est pas valable')
      }
    }
  }
  assert.equal(await everything(), before)
  // An erased contact: the link is ours, and no address is left to write to.
  const gone = linkOf('unsubscribe', { id: campaign })
  for (const method of ['GET', 'POST'])
    assert.equal((await open(base, gone, { method })).status, 200)
  assert.equal(await everything(), before)
})

test('each page: not cached, not indexed, no referrer, in no frame, with a language', async () => {
  const contact = await addUser('headers@page.example')
  for (const path of [linkOf('unsubscribe', contact), '/confirm/x', '/forms/x']) {
    for (const [accepted, lang] of [
      ['fr-CA, en;q=0.5', 'fr'],
      ['en', 'en'],
      ['de', 'de'],
      ['sv', 'fr'],
    ]) {
      const {
        headers,
        lang: marked,
        markup,
      } = await open(base, path, { headers: { 'accept-language': accepted ?? '' } })
      assert.partialDeepStrictEqual(Object.fromEntries(headers), {
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'x-content-type-options': 'nosniff',
        'content-type': 'text/html; charset=utf-8',
        'content-language': lang,
        'x-ratelimit-limit': '600',
        'content-security-policy':
          "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      })
      assert.equal(marked, lang)
      assert.doesNotMatch(markup, /<script|\son\w+=|javascript:|http-equiv="refresh"/)
    }
  }
})

test("a reader of a language that has no texts gets the workspace's", async () => {
  const contact = await addUser('language@page.example')
  await api.run(`update workspace set language = 'en' where id = ${workspace.id}`)
  assert.equal(
    (await open(base, linkOf('unsubscribe', contact), { headers: { 'accept-language': 'sv' } }))
      .lang,
    'en',
  )
  assert.equal(
    (await open(base, linkOf('unsubscribe', contact), { headers: { 'accept-language': 'fr' } }))
      .lang,
    'fr',
  )
  await api.run(`update workspace set language = null where id = ${workspace.id}`)
})

test('an address that asks too much gets a page that says so; leaving is not refused for it', async () => {
  const contact = await addUser('rate@page.example')
  const headers = { 'x-forwarded-for': '192.0.2.66' }
  const link = linkOf('unsubscribe', contact)
  for (let count = 0; count < 600; count += 20)
    await Promise.all(Array.from({ length: 20 }, () => open(base, '/confirm/x', { headers })))
  const refused = await open(base, link, { headers })
  assert.deepEqual([refused.status, refused.title], [429, 'Trop de demandes'])
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.equal((await open(base, `${link}x`, { method: 'POST', headers })).status, 429)
  assert.equal((await open(base, link, { method: 'POST', headers })).status, 200)
  assert.equal((await find(contact.email)).status, 'unsubscribed')
})
