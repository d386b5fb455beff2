/**
 * Sign-up forms in a workspace: readable colours, words of the mail, previews that equal the page,
 * and the owner of a form.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerOf } from '../../src/contract/operations.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused, textAt, type ask } from '../support/ask.ts'
import { mailsTo } from '../support/mails.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { press, open } from '../support/signed-in-visitor.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const acme = await api.workspace('acme')
const zenith = await api.workspace('zenith')
const here = '/workspaces/acme/api/v1'
const editor = await signIn(api, { in: { [acme.id]: 'editor', [zenith.id]: 'owner' } })
const viewer = await signIn(api, { in: { [acme.id]: 'viewer' } })

const create = (body: object): ReturnType<typeof ask> => editor.ask(`POST ${here}/forms`, { body })
const night = { background: '#10261c', text: '#f2fff8', button: '#7be0b0' }
const markup = '</style><script>x</script>'

test('422: colours that cannot be read on each other, by the ratios of WCAG; a preview reports them without refusing', async () => {
  const faint = { background: '#ffffff', text: '#777777', button: '#bbbbbb' }
  const refused = await create({ name: 'News', colours: faint })
  assertRefused(refused, 'validation_error', {
    errors: [
      { path: 'colours.text', rule: 'contrast', limit: 4.5 },
      { path: 'colours.button', rule: 'contrast', limit: 3 },
    ],
  })
  // #767676 on white is 4.54, the known border of what is readable.
  const border = { ...faint, text: '#767676', button: '#949494' }
  assertAnswered(await create({ name: 'News', colours: border }), 201, { colours: border })
  const preview = await viewer.ask(`POST ${here}/forms/preview`, {
    body: { name: 'News', colours: faint },
  })
  assertAnswered(preview, 200, { contrast: { text: 4.47, button: 1.91 } })
  for (const background of ['red', '#FFF', '#ffffff;}', '#ffffff\n']) {
    assertRefused(
      await create({ name: 'News', colours: { ...faint, background } }),
      'validation_error',
    )
  }
})

test('the page has the colours by a style sheet of its own, without inline style; an unknown value makes no style', async () => {
  const form = await create({ name: `News ${markup}`, colours: night })
  const page = await open(api.baseUrl, new URL(textAt(form, 'url')).pathname)
  assert.doesNotMatch(page.markup, /<style|style="|<script/)
  assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /unsafe-inline|nonce/)
  const address =
    /href="(\/pages\/colours\.css\?[^"]*)"/.exec(page.markup)?.[1]?.replaceAll('&#38;', '&') ?? ''
  const style = await fetch(api.baseUrl + address)
  assert.match(await style.text(), /--card: #10261c;[^]*--on-accent: #000000;/)
  const foreign = new URLSearchParams({ ...night, text: 'red;}*{background:url(//evil.example)}' })
  assert.equal(
    await (await fetch(`${api.baseUrl}/pages/colours.css?${foreign.toString()}`)).text(),
    '',
  )
})

test('a preview equals the page that visitors get', async () => {
  const form = {
    name: 'Our <news>',
    intro: 'Once a\nmonth',
    asks: [{ field: 'fields.city', label: 'Your city' }],
    colours: night,
  }
  const created = await create(form)
  const preview = await viewer.ask(`POST ${here}/forms/preview?language=en`, { body: form })
  const page = await open(api.baseUrl, new URL(textAt(created, 'url')).pathname, {
    headers: { 'accept-language': 'en' },
  })
  const bare = (html: string): string =>
    html.replaceAll(/action="[^"]*"|name="stamp" value="[^"]*"/g, '')
  assert.equal(bare(textAt(preview, 'page')), bare(page.markup))
  const french = await viewer.ask(`POST ${here}/forms/preview?language=fr`, { body: form })
  assert.match(textAt(french, 'page'), /lang="fr"[^]*Adresse e-mail/)
})

test('own words of the mail are text in its subject, body and button; link, unsubscribe link and address stay ours', async () => {
  const mail = { subject: 'Do you want it?', text: `Line one\n${markup}`, button: 'Yes <b>' }
  const form = await create({ name: 'News', mail })
  const shown = await fetch(
    `${api.baseUrl}${here}/forms/preview/mail?${new URLSearchParams(mail).toString()}`,
    {
      headers: { cookie: viewer.cookie },
    },
  )
  assert.match(shown.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
  const previewed = await shown.text()
  await api.moveClock('1 hour')
  const page = await open(api.baseUrl, new URL(textAt(form, 'url')).pathname)
  await api.moveClock('61 minutes')
  await press(api.baseUrl, page, { email: 'ada@example.com' })
  const [sent] = await mailsTo(api.service, acme.id, 'ada@example.com')
  assert.ok(sent)
  assert.equal(sent.subject, 'Do you want it?')
  for (const html of [sent.html ?? '', previewed]) {
    assert.match(html, /Line one<br>&lt;\/style&gt;&lt;script&gt;x/)
    assert.match(html, />Yes &lt;b&gt;<\/a>/)
    assert.doesNotMatch(html, /<script|<b>/)
  }
  assert.match(
    sent.text ?? '',
    /\/confirm\/[\w-]+[^]*sans confirmation, vous ne recevrez rien de plus/,
  )
  await api.moveClock('0')
})

test('deleted, its page is 404 and its subscribers stay with their consent; pending ones can still confirm', async () => {
  const form = await create({ name: 'Passing', consent: 'I want Passing' })
  const [id, path] = [textAt(form, 'id'), new URL(textAt(form, 'url')).pathname]
  const email = 'late@example.com'
  await api.moveClock('3 hours')
  const page = await open(api.baseUrl, path)
  await api.moveClock('181 minutes')
  // The visitor's page is in English, and so is the mail of a form without words of its own.
  await press(api.baseUrl, page, { email }, { 'accept-language': 'en' })
  const [mail] = await mailsTo(api.service, acme.id, email)
  assert.match(mail?.text ?? '', /without a confirmation you will receive nothing more/)
  const del = (by: typeof editor, at = here) => by.ask(`DELETE ${at}/forms/${id}`)
  assertRefused(await del(viewer), 'insufficient_role')
  assertRefused(await del(editor, '/workspaces/zenith/api/v1'), 'not_found')
  assertAnswered(await del(editor), 200, { object: 'form', id, deleted: true })
  assertRefused(await del(editor), 'not_found')
  assertRefused(await editor.ask(`GET ${here}/forms/${id}`), 'not_found')
  assert.equal((await open(api.baseUrl, path)).status, 404)
  const link = /\/confirm\/[\w-]+/.exec(mail?.text ?? '')?.[0] ?? ''
  await press(api.baseUrl, await open(api.baseUrl, link), {})
  assertAnswered(await viewer.ask(`GET ${here}/contacts/${encodeURIComponent(email)}`), 200, {
    subscriber: { status: 'subscribed', source: 'form' },
    consents: [{ act: 'asked', shown: 'I want Passing' }, { act: 'confirmed' }],
  })
  await api.moveClock('0')
})

test('a form says how many came by it in 30 days, and how many of them confirmed; another form and older ones count elsewhere', async () => {
  const [form, other] = [await create({ name: 'Weekly' }), await create({ name: 'Monthly' })]
  const read = () => viewer.ask(`GET ${here}/forms/${textAt(form, 'id')}`)
  assertAnswered(await read(), 200, { sign_ups: { count: 0, confirmed: 0, more: false } })
  await api.moveClock('6 hours')
  const page = await open(api.baseUrl, new URL(textAt(form, 'url')).pathname)
  await api.moveClock('361 minutes')
  for (const email of ['one@weekly.example', 'two@weekly.example'])
    await press(api.baseUrl, page, { email }, { 'accept-language': 'en' })
  const [mail] = await mailsTo(api.service, acme.id, 'one@weekly.example')
  await mailsTo(api.service, acme.id, 'two@weekly.example')
  const link = /\/confirm\/[\w-]+/.exec(mail?.text ?? '')?.[0] ?? ''
  await press(api.baseUrl, await open(api.baseUrl, link), {})
  assertAnswered(await read(), 200, { sign_ups: { count: 2, confirmed: 1, more: false } })
  assertAnswered(await viewer.ask(`GET ${here}/forms/${textAt(other, 'id')}`), 200, {
    sign_ups: { count: 0 },
  })
  await api.run(`update subscriber set created_at = created_at - interval '31 days'
    where workspace_id = ${acme.id} and email = 'two@weekly.example'`)
  assertAnswered(await read(), 200, { sign_ups: { count: 1, confirmed: 1, more: false } })
  await api.moveClock('0')
})

test('given fields change; a form is disabled; without a sender its page takes no sign-up, and the answer says why', async () => {
  const id = textAt(
    await create({ name: 'News', intro: 'Hello', tags: ['a', 'a'], colours: night }),
    'id',
  )
  const change = (body: object): ReturnType<typeof ask> =>
    editor.ask(`PATCH ${here}/forms/${id}`, { body })
  assertAnswered(await change({ name: 'Letters' }), 200, {
    name: 'Letters',
    intro: 'Hello',
    tags: ['a'],
    colours: night,
  })
  assertAnswered(await change({ intro: ' ', colours: null, enabled: false }), 200, {
    intro: null,
    colours: null,
    closed_because: 'disabled',
  })
  assertAnswered(await change({ enabled: true }), 200, { closed_because: null })
  assertRefused(await change({ colours: { ...night, text: '#2f4439' } }), 'validation_error', {
    path: 'colours.text',
  })
  assertRefused(await change({ name: 'a\u202eb' }), 'validation_error', {
    path: 'name',
    rule: 'misleading_character',
    found: 'U+202E',
  })
  assertRefused(await change({ name: 'a\u0085b' }), 'validation_error', {
    path: 'name',
    rule: 'control_character',
  })
  const twice = [
    { field: 'firstName', label: null },
    { field: 'firstName', label: 'x' },
  ]
  assertRefused(await change({ asks: twice }), 'validation_error', {
    path: 'asks.1.field',
    rule: 'twice',
  })
  assertRefused(
    await change({ asks: [{ field: 'fields.Not a key', label: null }] }),
    'validation_error',
  )
  assertRefused(
    await viewer.ask(`PATCH ${here}/forms/${id}`, { body: { enabled: false } }),
    'insufficient_role',
  )
  const other = await editor.ask(`PATCH /workspaces/zenith/api/v1/forms/${id}`, {
    body: { enabled: false },
  })
  assertRefused(other, 'not_found')
  assertRefused(await editor.ask(`GET /workspaces/zenith/api/v1/forms/${id}`), 'not_found')
  await api.run(`delete from sender where workspace_id = ${zenith.id}`)
  const alone = await editor.ask('POST /workspaces/zenith/api/v1/forms', { body: { name: 'News' } })
  const form = alone.body as AnswerOf<'createForm'>['body']
  assert.equal(form.closed_because, 'no_sender')
  assert.equal((await open(api.baseUrl, new URL(form.url).pathname)).status, 404)
})
