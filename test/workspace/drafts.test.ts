/**
 * Drafts in the editor's API: unfinished ones are stored, two users lose nothing, and only finished
 * ones are sent.
 */
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { TypedDraft } from '../../src/contract/workspace/drafts.ts'
import { changeDraft } from '../../src/core/campaigns/update-campaign.ts'
import { createDatabase } from '../../src/database/client/database.ts'
import { callVerb } from '../support/call-verb.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { freePort } from '../support/free-port.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
const api = await startApi({ entry: operatorEntryPoints(), log: quiet })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const ada = await signIn(api, { email: 'ada@shop.test', in: { [shop.id]: 'editor' } })
const bob = await signIn(api, { email: 'bob@shop.test', in: { [shop.id]: 'editor' } })
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
const base = '/workspaces/shop/api/v1'
await ask(api.baseUrl, 'POST /api/v1/subscribers', {
  key: shop.key,
  body: { email: 'camille@example.com', firstName: 'Camille', double_opt_in: false },
})

/** Blocks with any fields: the service is asked to store them unchanged. */
const contentOf = (
  ...blocks: ({ type: string } & Record<string, unknown>)[]
): TypedDraft['content'] => blocks

const empty: TypedDraft = {
  ...{
    name: 'News',
    subject: '',
    preheader: '',
    from: null,
    replyTo: [],
    kind: 'content',
    text: '',
    content: [],
    html: '',
  },
  ...{ trackOpens: true, trackClicks: true },
}
const finished: TypedDraft = {
  ...empty,
  subject: 'Hello {{firstName | default: "you"}}',
  content: contentOf(
    { type: 'paragraph', text: 'For **{{firstName}}**.' },
    { type: 'button', text: 'See', href: 'http://127.0.0.1:9/gone' },
  ),
}
const create = async (typed: TypedDraft = empty): Promise<string> =>
  textAt(await ada.ask(`POST ${base}/drafts`, { body: typed }), 'id')
const save = (
  id: string,
  version: number,
  typed: TypedDraft,
  who = ada,
  keepAs: string | null = null,
): Promise<Answer> =>
  who.ask(`POST ${base}/campaigns/${id}/draft`, { body: { ...typed, version, keepAs } })
const rulesOf = (answer: Answer): string[] => {
  const problems = at(answer.body, 'problems')
  assert.ok(Array.isArray(problems))
  return problems.map((problem) => `${String(at(problem, 'path'))} ${String(at(problem, 'rule'))}`)
}
/** Of the campaigns that are found. */
const namesOf = async (query: string): Promise<unknown[]> => {
  const { body } = await viewer.ask(`GET ${base}/campaigns?${query}`)
  const data = at(body, 'data')
  assert.ok(Array.isArray(data))
  return data.map((campaign) => at(campaign, 'name'))
}
const page = async (
  id: string,
  query = '',
): Promise<{ status: number; policy: string; html: string }> => {
  const response = await fetch(`${api.baseUrl}${base}/campaigns/${id}/preview/html${query}`, {
    headers: { cookie: ada.cookie },
  })
  return {
    status: response.status,
    policy: response.headers.get('content-security-policy') ?? '',
    html: await response.text(),
  }
}

test('an unfinished draft is stored as it is typed, with each missing part and its place', async () => {
  const id = await create()
  const half = contentOf(
    { type: 'button', text: 'See', href: 'exam' },
    {
      type: 'columns',
      columns: [[{ type: 'image', src: '' }], [{ type: 'paragraph', text: 'a {{firstNam' }]],
    },
  )
  const saved = await save(id, 2, { ...empty, content: half })
  assertAnswered(saved, 200, { version: 3, unfinished: true, savedBy: 'ada@shop.test' })
  assert.deepEqual(rulesOf(saved), [
    'subject required',
    'content.0.href relative',
    'content.1.columns.0.0.src required',
    'content.1.columns.1.0.text merge_tag',
  ])
  assert.deepEqual(at(saved.body, 'problems', '2', 'indexes'), [1, 0, 0])
  const read = await bob.ask(`GET ${base}/campaigns/${id}/draft`)
  assertAnswered(read, 200, { ...empty, content: half, version: 3, unfinished: true })
  assert.deepEqual(at(read.body, 'problems'), at(saved.body, 'problems'))
  // Drafts of one name differ, and are found, by the subject in the editor.
  await save(id, 3, { ...empty, content: half, subject: 'Half a subject' })
  const result = await ada.ask(`GET ${base}/campaigns?q=half+a+sub`)
  assertAnswered(result, 200, { data: [{ id, subject: 'Half a subject', unfinished: true }] })
  assertAnswered(await ada.ask(`GET ${base}/campaigns/${id}/run`), 200, {
    campaign: { subject: 'Half a subject' },
  })
})

test('an unfinished draft is neither sent nor scheduled nor tested, until it is finished', async () => {
  const id = await create(finished)
  const sendOf = (): Promise<Answer> =>
    ask(api.baseUrl, `POST /api/v1/campaigns/${id}/send`, { key: shop.key })
  assertAnswered(await save(id, 2, { ...finished, subject: ' ' }), 200, { unfinished: true })
  const refusal = { id, status: 'draft', reason: 'unfinished' }
  assertRefused(await sendOf(), 'conflict', refusal)
  assertRefused(
    await ada.ask(`POST ${base}/campaigns/${id}/test`, { body: {} }),
    'conflict',
    refusal,
  )
  const schedule = callVerb(api.service, shop.id, 'scheduleCampaign', {
    params: { id },
    body: { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() },
  })
  await assert.rejects(schedule, { code: 'conflict', details: refusal })
  assertAnswered(await save(id, 3, finished), 200, { unfinished: false, problems: [] })
  assertAnswered(await sendOf(), 202)
  assertRefused(await save(id, 4, finished), 'conflict', { id, status: 'sending' })
})

test('a page that does not know a field yet leaves it as it is, and a new draft has its blank', async () => {
  await api.run(`update workspace set track_clicks = false where id = ${shop.id}`)
  const started = await ada.ask(`POST ${base}/drafts`, { body: { name: 'Few', kind: 'text' } })
  assertAnswered(started, 201, {
    ...empty,
    name: 'Few',
    kind: 'text',
    trackClicks: false,
    version: 2,
    unfinished: true,
  })
  await api.run(`update workspace set track_clicks = true where id = ${shop.id}`)
  const id = textAt(started, 'id')
  const part = (body: object, version: number) =>
    ada.ask(`POST ${base}/campaigns/${id}/draft`, { body: { ...body, version } })
  assertAnswered(
    await part(
      { subject: 'Hello', preheader: 'In two minutes', text: 'Words', trackOpens: false },
      2,
    ),
    200,
  )
  assertAnswered(await part({ text: 'Other words' }, 3), 200, { version: 4, unfinished: false })
  assertAnswered(await ada.ask(`GET ${base}/campaigns/${id}/draft`), 200, {
    ...{ ...empty, name: 'Few', kind: 'text', trackOpens: false, trackClicks: false },
    ...{ subject: 'Hello', preheader: 'In two minutes', text: 'Other words' },
  })
  // As a version of the program stored it that did not have the field.
  await api.run(`update campaign set draft = (draft::jsonb - 'preheader')::json where id = '${id}'`)
  assertAnswered(await ada.ask(`GET ${base}/campaigns/${id}/draft`), 200, {
    preheader: '',
    text: 'Other words',
  })
})

test("the second save is refused, with the first one's content; the user chooses, and either version can win", async () => {
  const id = await create(finished)
  assertAnswered(await save(id, 2, { ...finished, subject: 'By Ada' }), 200, { version: 3 })
  const refused = await save(id, 2, { ...finished, subject: 'By Bob' }, bob)
  assertRefused(refused, 'conflict', {
    reason: 'version',
    draft: { subject: 'By Ada', version: 3, savedBy: 'ada@shop.test' },
  })
  assertAnswered(await ada.ask(`GET ${base}/campaigns/${id}/draft`), 200, {
    subject: 'By Ada',
    version: 3,
  })
  assertAnswered(await save(id, 3, { ...finished, subject: 'By Bob' }, bob, 'News (Ada)'), 200, {
    version: 4,
  })
  const result = await bob.ask(`GET ${base}/campaigns?q=news+%28ada`)
  assertAnswered(result, 200, {
    data: [{ name: 'News (Ada)', subject: 'By Ada', unfinished: false }],
  })
  const copy = textAt(result, 'data', '0', 'id')
  assertAnswered(await bob.ask(`GET ${base}/campaigns/${copy}/draft`), 200, {
    name: 'News (Ada)',
    subject: 'By Ada',
  })
})

test('a version that came meanwhile is not copied twice: the copy and the save are one', async () => {
  const id = await create({ ...finished, name: 'Once' })
  assertRefused(await save(id, 1, finished, bob, 'Once (kept)'), 'conflict', { reason: 'version' })
  assert.deepEqual(await namesOf('q=once'), ['Once'])
})

test("a write by another entry point counts as a version; it replaces an unfinished draft's content or nothing", async () => {
  const id = await create()
  const change = changeDraft(api.service, {
    workspaceId: shop.id,
    id,
    change: { subject: 'By command' },
  })
  await assert.rejects(change, {
    code: 'conflict',
    details: { id, status: 'draft', reason: 'unfinished' },
  })
  await changeDraft(api.service, {
    workspaceId: shop.id,
    id,
    change: { subject: 'By command', text: '# Hello' },
  })
  assertRefused(await save(id, 2, finished), 'conflict', {
    reason: 'version',
    draft: { kind: 'text', text: '# Hello', savedBy: null },
  })
})

test('a change that crosses a save of the editor is made to what was saved, and leaves the other ways of writing', async () => {
  const id = await create(finished)
  // The change has read the draft, and validates it, when the editor's save comes.
  let isSaved = false
  const db: typeof api.service.db = {
    ...api.service.db,
    ...createDatabase(async (statement) => {
      if (!isSaved && statement.text.includes('update campaign')) {
        isSaved = true
        assertAnswered(
          await save(id, 2, { ...finished, kind: 'text', text: 'Typed meanwhile' }),
          200,
        )
      }
      return api.service.db.ask(statement)
    }),
  }
  await changeDraft(
    { ...api.service, db },
    { workspaceId: shop.id, id, change: { subject: 'By command' } },
  )
  assert.ok(isSaved)
  assertAnswered(await ada.ask(`GET ${base}/campaigns/${id}/draft`), 200, {
    ...{
      kind: 'text',
      text: 'Typed meanwhile',
      subject: 'By command',
      version: 4,
      unfinished: false,
    },
    content: finished.content,
  })
})

test('the preview is the mail as its reader sees it: filled in, light or dark, and without parts that do not fit yet', async () => {
  const id = await create(finished)
  const of = '?email=Camille%40example.com'
  assertAnswered(await viewer.ask(`GET ${base}/campaigns/${id}/preview${of}`), 200, {
    subject: 'Hello Camille',
    leftOut: 0,
  })
  assertAnswered(await viewer.ask(`GET ${base}/campaigns/${id}/preview`), 200, {
    subject: 'Hello you',
    from: 'hello@shop.test',
  })
  assertRefused(
    await viewer.ask(`GET ${base}/campaigns/${id}/preview?email=nobody%40example.com`),
    'not_found',
  )
  const light = await page(id, of)
  assert.match(light.html, /<strong>Camille<\/strong>/)
  assert.match(light.policy, /^sandbox; default-src 'none'/)
  assert.match(light.html, /@media \(width<0px\)/)
  const dark = await page(id, `${of}&dark=1`)
  assert.match(dark.html, /@media \(min-width:0\)\{\s*\.f-page/)
  assert.doesNotMatch(dark.html, /prefers-color-scheme/)
  await save(id, 2, {
    ...finished,
    content: [...finished.content, ...contentOf({ type: 'image', src: 'no' })],
  })
  assertAnswered(await ada.ask(`GET ${base}/campaigns/${id}/preview`), 200, {
    leftOut: 1,
    subject: 'Hello you',
  })
  assert.match((await page(id)).html, /gone/)
})

test('pictures from elsewhere load only on request; our own are shown under any name of the service', async () => {
  const dot = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const picture = { raw: dot, type: 'image/png' }
  const own = textAt(await ada.ask(`POST ${base}/images?name=dot.png`, picture), 'url')
  const gone = `${api.baseUrl}/images/${'A'.repeat(51)}.png`
  const html = `<img alt="a > b" src="${own}"><img alt="Gone" src="${gone}"><img src="https://example.com/p.png" alt="A boat" srcset="https://example.com/q.png 2x">`
  const id = await create({
    ...finished,
    kind: 'html',
    html: `<table background="https://example.com/b.png"><td>${html}</table>`,
  })
  const withheld = (await page(id)).html
  assert.ok(withheld.includes(`<img alt="a &gt; b" src="${new URL(own).pathname}">`), withheld)
  assert.match(withheld, /<img alt="Gone">/)
  assert.match(withheld, /<img alt="A boat">/)
  assert.doesNotMatch(withheld, /example\.com\/[pqb]\.png/)
  assert.match((await page(id, '?images=1')).html, /src="https:\/\/example\.com\/p\.png"/)
})

test('preflight reports the gaps of an unfinished draft, and the risks of a finished one', async () => {
  const id = await create({ ...finished, subject: '' })
  const early = await ada.ask(`POST ${base}/campaigns/${id}/preflight`)
  assertAnswered(early, 200, { version: 2, problems: [{ path: 'subject', rule: 'required' }] })
  assertAnswered(early, 200, {
    findings: [
      { check: 'content', status: 'problem', reason: 'unfinished' },
      { check: 'sender', status: 'ok', reason: 'good' },
    ],
  })
  await save(id, 2, finished)
  const late = await ada.ask(`POST ${base}/campaigns/${id}/preflight`)
  const findings = at(late.body, 'findings')
  assert.ok(Array.isArray(findings))
  const link = findings.find((finding) => at(finding, 'check') === 'links')
  assert.partialDeepStrictEqual(link, {
    status: 'problem',
    reason: 'link_failed',
    details: { url: 'http://127.0.0.1:9/gone' },
  })
  assertRefused(await viewer.ask(`POST ${base}/campaigns/${id}/preflight`), 'insufficient_role')
})

test('a second check of a draft waits for the one under way, and foreign hosts get one request', async (t) => {
  let requested = 0
  const site = createServer((_request, response) => {
    requested++
    response.end()
  })
  const port = await freePort()
  await new Promise<void>((listening) => site.listen(port, '127.0.0.1', listening))
  t.after(() => site.close())
  t.after(() => site.closeAllConnections())
  const id = await create({ ...finished, kind: 'text', text: `See http://127.0.0.1:${port}/news` })
  const checks = await Promise.all(
    [ada, bob, ada].map((who) => who.ask(`POST ${base}/campaigns/${id}/preflight`)),
  )
  for (const check of checks) assert.equal(check.status, 200)
  assert.equal(requested, 1)
})

test('429 rate_limit_exceeded: a check that more than two wait before; later ones pass again', async (t) => {
  const waiting: ServerResponse[] = []
  let isOpen = false
  const site = createServer((_request, response) => {
    if (isOpen) response.end()
    else waiting.push(response)
  })
  const port = await freePort()
  await new Promise<void>((listening) => site.listen(port, '127.0.0.1', listening))
  t.after(() => site.close())
  t.after(() => site.closeAllConnections())
  const id = await create({ ...finished, kind: 'text', text: `See http://127.0.0.1:${port}/slow` })
  const check = () => ada.ask(`POST ${base}/campaigns/${id}/preflight`)
  const checks = Array.from({ length: 4 }, check)
  const refused = await Promise.race(checks)
  assertRefused(refused, 'rate_limit_exceeded', { reason: 'preflights', limit: 2 })
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  isOpen = true
  for (const response of waiting) response.end()
  const statuses = (await Promise.all(checks)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 200, 200, 429])
  assert.equal((await check()).status, 200)
})

test('a test mail goes to the user who asks', async () => {
  const id = await create(finished)
  const sent = await ada.ask(`POST ${base}/campaigns/${id}/test`, { body: {} })
  assertAnswered(sent, 202, { object: 'campaign_test', id })
  assert.equal(textAt(sent, 'data', '0', 'to'), 'ada@shop.test')
  const [mail] = await shop.capturedMails(textAt(sent, 'data', '0', 'id'), 1)
  assert.match(String(mail), /^To: ada@shop\.test\r$/m)
  assert.match(String(mail), /^Subject: \[Test\] Hello you\r$/m)
})

test('campaigns are found by words of name or subject and by status; the archived only when asked for', async () => {
  const id = await create({ ...finished, name: 'Straße 100%_' })
  assert.deepEqual(await namesOf('q=100%25_'), ['Straße 100%_'])
  assert.deepEqual(await namesOf('q=STRA%C3%9FE&status=sent'), [])
  await api.run(`update campaign set status = 'archived' where id = '${id}'`)
  assert.deepEqual(await namesOf('q=100%25_'), [])
  assert.deepEqual(await namesOf('q=100%25_&status=archived'), ['Straße 100%_'])
  const first = await viewer.ask(`GET ${base}/campaigns?limit=1`)
  const next = await viewer.ask(
    `GET ${base}/campaigns?limit=1&cursor=${textAt(first, 'next_cursor')}`,
  )
  assert.notEqual(textAt(first, 'data', '0', 'id'), textAt(next, 'data', '0', 'id'))
})

test('drafts of another workspace are not found', async () => {
  const id = await create(finished)
  for (const line of [
    `GET ${base}/campaigns/${id}/draft`,
    `GET /workspaces/other/api/v1/campaigns/${id}/draft`,
  ])
    assertRefused(await stranger.ask(line), 'not_found')
  assertRefused(
    await stranger.ask(`POST /workspaces/other/api/v1/campaigns/${id}/draft`, {
      body: { ...finished, version: 2 },
    }),
    'not_found',
  )
})
