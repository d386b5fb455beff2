/**
 * Sign-up forms over HTTP: accepted fields, traps, rate limits, and one answer for every address
 * (security: Sign-up forms).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeForm as make, type NewForm } from '../../src/core/forms/make-form.ts'
import { writeFormId } from '../../src/core/input/form-id.ts'
import { recipientTexts } from '../../src/ground/texts/recipient-texts.ts'
import { fill } from '../../src/ground/texts/texts.ts'
import { updateForm } from '../../src/core/forms/update-form.ts'
import { writeEmbed } from '../../src/core/forms/write-embed.ts'
import { sql } from '../../src/database/client/sql.ts'
import { formWithWorkspace } from '../../src/db/forms/sign-up-forms.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { press, open, type VisitedPage } from '../support/signed-in-visitor.ts'

/** No worker processes the sign-ups: the test does. */
const api = await startApi({
  workers: false,
  entry: operatorEntryPoints({ trustProxy: '127.0.0.0/8' }),
})
/** Another process on the same database. */
const twin = await startApi({
  workers: false,
  entry: operatorEntryPoints({ trustProxy: '127.0.0.0/8' }),
  database: api.database,
})
const workspace = await api.workspace('acme')
const base = api.baseUrl

async function makeForm(
  fields: Partial<NewForm> = {},
  owner: TestWorkspace = workspace,
): Promise<{ id: string; path: string }> {
  const form = { name: 'Our news', intro: null, consent: null, asks: [], tags: [], ...fields }
  const { id } = await make(api.service, { workspaceId: owner.id, form })
  return { id, path: `/forms/${writeFormId({ workspaceId: owner.id, id })}` }
}

/**
 * The database's time goes on: long enough for a visitor to read, or for the rate limits to reset.
 */
let ahead = 0
async function later(seconds: number): Promise<void> {
  ahead += seconds
  await api.moveClock(`${ahead} seconds`)
}
const muchLater = (): Promise<void> => later(2 * 3600)

interface Taken {
  email: string
  firstName: string | null
  lastName: string | null
  fields: Record<string, string>
  tags: string[]
  shown: string
  ip: string
  userAgent: string
  createdAt: Date
}

const takenBy = (id: string): Promise<Taken[]> =>
  api.service.db.rows<Taken>(
    sql`select * from sign_up where workspace_id = ${workspace.id} and form_id = ${id} order by id`,
  )

async function signUp(
  path: string,
  email: string,
  headers: Record<string, string> = {},
  process = base,
): Promise<VisitedPage> {
  const page = await open(process, path, { headers })
  await later(10)
  return press(process, page, { email }, headers)
}

const forwarded = (address: string) => ({ 'x-forwarded-for': address })

test('a sign-up stores the fields of its form, the words agreed to, the address and the tags, and no other field', async () => {
  const asks = [
    { field: 'firstName', label: null },
    { field: 'fields.city', label: 'Your city' },
  ]
  const { id, path } = await makeForm({
    asks,
    tags: ['news', 'site'],
    intro: 'Once a\nmonth',
    consent: 'I want <this>.',
  })
  const page = await open(base, path, { headers: { 'accept-language': 'en' } })
  assert.deepEqual([page.status, page.title], [200, 'Our news'])
  for (const words of ['acme', 'Once a\nmonth', 'I want <this>.', 'First name', 'Your city'])
    assert.ok(page.text.includes(words), words)
  assert.doesNotMatch(page.text, /name="lastName"/)
  await later(10)
  const typed = {
    email: ' Ada@Example.com ',
    firstName: ' Ada ',
    'fields.city': 'Paris',
    lastName: 'Lovelace',
    'fields.other': 'x',
  }
  const answer = await press(base, page, typed, {
    'accept-language': 'en',
    'user-agent': 'Tester/1',
    ...forwarded('192.0.2.7'),
  })
  assert.deepEqual([answer.status, answer.title], [200, 'Check your inbox'])
  assert.partialDeepStrictEqual(await takenBy(id), [
    {
      ...{
        email: 'ada@example.com',
        firstName: 'Ada',
        lastName: null,
        fields: { city: 'Paris' },
        tags: ['news', 'site'],
      },
      ...{ shown: 'I want <this>.', ip: '192.0.2.7', userAgent: 'Tester/1' },
    },
  ])
})

test('without words of its own, a form shows ours in the language of the visitor, and stores those', async () => {
  await muchLater()
  const { id, path } = await makeForm()
  for (const [language, words] of [
    ['fr', fill(recipientTexts.fr.form.consent, { workspace: 'acme' })],
    ['en-GB', fill(recipientTexts.en.form.consent, { workspace: 'acme' })],
  ] as const) {
    const page = await open(base, path, { headers: { 'accept-language': language } })
    assert.ok(page.text.includes(words))
    await later(10)
    await press(base, page, { email: `${language}@example.com` }, { 'accept-language': language })
    assert.equal((await takenBy(id)).at(-1)?.shown, words)
  }
})

test('mistakes are shown at their field with all that was typed, and nothing is taken', async () => {
  await muchLater()
  const { id, path } = await makeForm({ asks: [{ field: 'firstName', label: null }] })
  const page = await open(base, path)
  await later(10)
  for (const [typed, field] of [
    [{ email: 'no address', firstName: 'Zoé' }, 'email'],
    [{ email: 'a@example.com, b@example.com', firstName: 'Zoé' }, 'email'],
    [{ email: 'Zoé <a@example.com>', firstName: 'Zoé' }, 'email'],
    [{ email: 'a@example.com', firstName: 'é'.repeat(121) }, 'firstName'],
    [{ email: 'a@example.com', firstName: 'a\u0007b' }, 'firstName'],
  ] as const) {
    const answer = await press(base, page, typed)
    assert.equal(answer.status, 422)
    assert.match(
      answer.markup,
      new RegExp(`name="${field}"[^>]*aria-invalid="true" aria-describedby="${field}-wrong"`),
    )
    if (field === 'email') assert.equal(answer.form?.values['firstName'], 'Zoé')
    else assert.equal(answer.form?.values['email'], 'a@example.com')
  }
  assert.deepEqual(await takenBy(id), [])
})

test('what was typed is shown as text, wherever it stands', async () => {
  const { path } = await makeForm({
    name: '"><script>',
    asks: [{ field: 'fields.a', label: '<b>"' }],
  })
  const page = await open(base, path)
  const response = await fetch(base + path, {
    method: 'POST',
    body: new URLSearchParams({ email: `"><script>'`, 'fields.a': '"><img src=x>' }),
  })
  assert.doesNotMatch(await response.text(), /<script|<img|<b>"/)
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'self'; img-src data:; form-action 'self';/,
  )
})

test('a field that only a program fills in: the same page, and nothing is stored', async () => {
  await muchLater()
  const { id, path } = await makeForm()
  const contact = await signUp(path, 'person@example.com')
  const page = await open(base, path)
  await later(10)
  const program = await press(base, page, {
    email: 'program@example.com',
    website: 'https://example.com',
  })
  assert.equal(program.text, contact.text)
  assert.deepEqual(
    (await takenBy(id)).map(({ email }) => email),
    ['person@example.com'],
  )
})

test('200, a form sent faster than anybody types: one press is enough, and it is taken when the minimum fill time is over', async () => {
  await muchLater()
  const { id, path } = await makeForm()
  const page = await open(base, path)
  const answer = await press(base, page, { email: 'quick@example.com' })
  assert.deepEqual([answer.status, answer.form], [200, null])
  const [taken] = await takenBy(id)
  assert.equal(taken?.email, 'quick@example.com')
  const stamp = api.service.linkTokens.read('form', page.form?.values['stamp'] ?? '')
  const shownMs = Number.parseInt(stamp?.second.replaceAll('-', '').slice(0, 12) ?? '', 16)
  // The process waits by its own clock, which may run a little quicker than the database's.
  assert.ok(
    taken.createdAt.getTime() - shownMs >= 1_900,
    `taken after ${taken.createdAt.getTime() - shownMs} ms`,
  )
})

test('429, quick forms over the limit of a network: refused at once, so that the limit bounds how many calls wait', async () => {
  await muchLater()
  const { id, path } = await makeForm()
  const headers = forwarded('203.0.113.77')
  const page = await open(base, path, { headers })
  const answers = await Promise.all(
    Array.from({ length: 25 }, (_, at) =>
      press(base, page, { email: `quick-${at}@example.com` }, headers),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 429).length, 5)
  assert.equal((await takenBy(id)).length, 20)
})

test('without the stamp of this very form, or with one of the day before: the form is shown, filled in, with a new one', async () => {
  await muchLater()
  const { id, path } = await makeForm()
  const other = await makeForm()
  const fromOther = (await open(base, other.path)).form?.values['stamp'] ?? ''
  const page = await open(base, path)
  const own = page.form?.values['stamp'] ?? ''
  const changed = `${own.slice(0, 40)}${own[40] === 'A' ? 'B' : 'A'}${own.slice(41)}`
  const unsubscribe = api.service.linkTokens.make('unsubscribe', {
    workspaceId: workspace.id,
    first: id,
    second: '0'.repeat(8) + '-0000-7000-8000-000000000000',
  })
  const shown = api.service.linkTokens.read('form', own)
  assert.ok(shown)
  // A form of the same identifier in another workspace is another form.
  const elsewhere = api.service.linkTokens.make('form', { ...shown, workspaceId: workspace.id + 1 })
  await later(10)
  for (const stamp of ['', 'nonsense', changed, fromOther, elsewhere, unsubscribe]) {
    const again = await press(base, page, { email: 'a@example.com', stamp })
    assert.equal(again.form?.values['email'], 'a@example.com')
    assert.notEqual(again.form?.values['stamp'], stamp)
  }
  await later(25 * 3600)
  assert.ok(
    (await press(base, page, { email: 'a@example.com' })).form,
    'a page that was open for a day',
  )
  assert.deepEqual(await takenBy(id), [])
})

test('the embed: sent from another site it leads to the filled-in form, whose button signs up', async () => {
  await muchLater()
  const { id, path } = await makeForm({
    asks: [{ field: 'firstName', label: null }],
    consent: 'One <line>\nand more',
  })
  const form = await formWithWorkspace(api.service.db, workspace.id, id)
  assert.ok(form)
  const embed = writeEmbed(
    { ...form, offeredTopics: [] },
    { address: base + path, workspaceName: 'acme' },
    recipientTexts.en.form,
  )
  assert.match(embed, new RegExp(`^<form method="post" action="${base + path}"`))
  assert.match(
    embed,
    /name="email" type="email"[^>]* required>[^]*name="firstName"[^]*One &#60;line&#62;<br>and more/,
  )
  assert.doesNotMatch(embed, /<script|stamp/)
  const headers = {
    origin: 'https://www.acme.example',
    referer: 'https://www.acme.example/',
    'sec-fetch-site': 'cross-site',
  }
  const body = new URLSearchParams({ email: 'embed@example.com', firstName: 'Ada', website: '' })
  const review = await open(base, path, { method: 'POST', headers, body })
  assert.deepEqual([review.status, (await takenBy(id)).length], [200, 0])
  assert.partialDeepStrictEqual(review.form?.values, {
    email: 'embed@example.com',
    firstName: 'Ada',
  })
  await later(10)
  await press(base, review)
  assert.partialDeepStrictEqual(await takenBy(id), [
    { email: 'embed@example.com', firstName: 'Ada' },
  ])
})

/** The names of the statements that the service's pool is asked from now on. */
function noteStatements(): string[] {
  const names: string[] = []
  const { db } = api.service
  const rows = db.rows.bind(db)
  const count = db.count.bind(db)
  db.rows = (statement) => (names.push(statement.name), rows(statement))
  db.count = (statement) => (names.push(statement.name), count(statement))
  return names
}

test('new, known, unsubscribed, bounced, complained, suppressed: one page, byte for byte, and the same statements', async () => {
  await muchLater()
  const { id, path } = await makeForm()
  const { db } = api.service
  const states = ['pending', 'subscribed', 'unsubscribed', 'bounced', 'complained']
  for (const status of states) {
    await db.count(sql`
      insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
      values (${workspace.id}, ${api.service.makeId()}, ${`${status}@example.com`}, ${status}, facteur_now(), facteur_now())`)
  }
  for (const reason of ['unsubscribe', 'bounce', 'complaint', 'manual'] as const)
    await workspace.suppress(`${reason}@example.com`, reason)
  await api.suppressOnPlatform('platform@example.com')
  const addresses = [
    'new',
    ...states,
    'unsubscribe',
    'bounce',
    'complaint',
    'manual',
    'platform',
  ].map((name) => `${name}@example.com`)
  const statements = noteStatements()
  const answers: string[] = []
  const bare = ({ status, headers, text }: VisitedPage): string =>
    JSON.stringify([
      status,
      [...headers].filter(([name]) => !/^(date|x-request-id|(x-)?ratelimit.*)$/.test(name)),
      text,
    ])
  for (const email of addresses) {
    const answer = await signUp(path, email)
    answers.push(bare(answer) + statements.splice(0).join())
  }
  assert.equal(new Set(answers).size, 1)
  // Each is stored alike; the address is looked up when the answer has gone.
  assert.deepEqual(
    (await takenBy(id)).map(({ email }) => email),
    addresses,
  )
})

test('one network: 20 sign-ups an hour over all forms, workspaces and processes, then a page that says so; others go on', async () => {
  await muchLater()
  const { path } = await makeForm()
  const elsewhere = await makeForm({}, await api.workspace('other'))
  for (const [index, headers] of [
    forwarded('2001:db8:1:2::1'),
    forwarded('198.51.100.1'),
  ].entries()) {
    for (let count = 0; count < 20; count++) {
      const process = count % 3 ? base : twin.baseUrl
      const answer = await signUp(
        count % 2 ? path : elsewhere.path,
        `n${index}-${count}@example.com`,
        headers,
        process,
      )
      assert.equal(answer.status, 200)
    }
  }
  // The rest of a household's /64 is the same network.
  for (const headers of [forwarded('198.51.100.1'), forwarded('2001:db8:1:2:ffff::9')]) {
    const refused = await signUp(path, 'late@example.com', headers)
    assert.deepEqual([refused.status, refused.title], [429, 'Trop de demandes'])
  }
  assert.equal((await signUp(path, 'a@example.com', forwarded('198.51.100.2'))).status, 200)
  assert.equal((await signUp(path, 'b@example.com', forwarded('2001:db8:1:3::1'))).status, 200)
  await muchLater()
  assert.equal((await signUp(path, 'late@example.com', forwarded('198.51.100.1'))).status, 200)
})

test('all networks together: 1,000 sign-ups an hour in a workspace', async () => {
  await muchLater()
  const { path } = await makeForm()
  await signUp(path, 'first@example.com', forwarded('203.0.113.1'))
  await api.run(`update sign_up_rate set taken = 999 where workspace_id = ${workspace.id}`)
  assert.equal((await signUp(path, 'thousandth@example.com', forwarded('203.0.113.2'))).status, 200)
  assert.equal((await signUp(path, 'more@example.com', forwarded('203.0.113.3'))).status, 429)
  const other = await makeForm({}, await api.workspace('third'))
  assert.equal((await signUp(other.path, 'more@example.com', forwarded('203.0.113.3'))).status, 200)
})

test('a disabled form, or one of a workspace that cannot ask for confirmations: a page that says so, and nothing is stored', async () => {
  await muchLater()
  const { id, path } = await makeForm()
  const page = await open(base, path)
  await updateForm(
    {
      ...{
        ...api.service,
        workspaceId: workspace.id,
        apiKey: { id: '', name: '', prefix: '', scopes: [] },
        user: null,
      },
      ...{ requester: { address: '192.0.2.1', userAgent: '' }, language: 'fr' },
    },
    {
      params: { id: writeFormId({ workspaceId: workspace.id, id }) },
      query: {},
      headers: {},
      body: { enabled: false },
      file: undefined,
    },
  )
  await later(10)
  for (const answer of [
    await open(base, path),
    await press(base, page, { email: 'a@example.com' }),
  ])
    assert.deepEqual(
      [answer.status, answer.title, answer.form],
      [404, 'Les inscriptions sont fermées', null],
    )
  assert.deepEqual(await takenBy(id), [])
  const mute = await api.workspace('mute')
  const silent = await makeForm({}, mute)
  assert.equal((await open(base, silent.path)).status, 200)
  await api.run(`delete from sender where workspace_id = ${mute.id}`)
  assert.equal((await open(base, silent.path)).status, 404)
})

test('an identifier that no form has: one plain page, never a redirect', async () => {
  const { id } = await makeForm()
  const others = await api.workspace('fourth')
  for (const odd of [
    'x',
    'A'.repeat(30),
    `${'A'.repeat(29)}B`,
    writeFormId({ workspaceId: others.id, id }),
    '%00',
    '..%2f',
    'é'.repeat(30),
  ]) {
    for (const method of ['GET', 'POST']) {
      const answer = await open(base, `/forms/${odd}`, { method })
      assert.deepEqual(
        [answer.status, answer.title, answer.headers.get('location')],
        [404, 'Ce lien n’est pas valable', null],
        odd,
      )
    }
  }
})

test('bodies that are no sign-up form: too long, another type, none', async () => {
  const { id, path } = await makeForm()
  const long = await open(base, path, {
    method: 'POST',
    body: new URLSearchParams({ email: 'a'.repeat(100_000) }),
  })
  assert.equal(long.status, 404)
  for (const [type, body] of [
    ['application/json', '{"email":"a@example.com"}'],
    ['multipart/form-data; boundary=x', 'nothing of it'],
    [';;;', 'email=a'],
  ]) {
    const answer = await open(base, path, {
      method: 'POST',
      headers: { 'content-type': type ?? '' },
      body: body ?? '',
    })
    assert.ok([404, 422].includes(answer.status), `${type}: ${answer.status}`)
  }
  assert.equal((await open(base, path, { method: 'POST' })).status, 422)
  assert.deepEqual(await takenBy(id), [])
})
