/**
 * A sign-up from a page of the owner's: `POST /forms/{id}/json`, for exactly the form's origins, and
 * alike for every address; and the owner's pages after signing up and confirming.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeFormId } from '../../src/core/input/form-id.ts'
import { makeForm as make, type NewForm } from '../../src/core/forms/make-form.ts'
import { findForm } from '../../src/core/forms/find-form.ts'
import { signUp } from '../../src/core/forms/sign-up.ts'
import { fillMsMin } from '../../src/core/forms/stamp.ts'
import { eraseContact } from '../../src/core/audience/contacts/erase-contact.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { createFrozenClock } from '../support/frozen-clock.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { press, open } from '../support/signed-in-visitor.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'en' } })
const acme = await api.workspace('acme')
const { db } = api.service
const origin = 'https://shop.example'

async function makeForm(fields: Partial<NewForm> = {}): Promise<string> {
  const form = { name: 'News', intro: null, consent: null, asks: [], tags: [], ...fields }
  const { id } = await make(api.service, {
    workspaceId: acme.id,
    form: { origins: [origin], ...form },
  })
  return `/forms/${writeFormId({ workspaceId: acme.id, id })}`
}
const form = await makeForm({
  asks: [{ field: 'firstName', label: null }],
  tags: ['news'],
  thanksUrl: 'https://shop.example/thanks',
})

interface Posted {
  status: number
  headers: Headers
  body: unknown
}

async function post(
  body: unknown,
  {
    path = form,
    method = 'POST',
    headers = {},
  }: { path?: string; method?: string; headers?: Record<string, string> } = {},
): Promise<Posted> {
  const response = await fetch(`${api.baseUrl}${path}/json`, {
    method,
    headers: { origin, 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : JSON.parse(text),
  }
}

const signUps = async (): Promise<string[]> =>
  (
    await db.rows<{ email: string }>(
      sql`select email from consent_evidence where workspace_id = ${acme.id} and act = 'asked' order by id`,
    )
  ).map(({ email }) => email)

const reset = (): Promise<void> => api.run('delete from public.sign_up_rate')

/** The link to confirm of the newest mail to an address. */
async function linkTo(email: string): Promise<string> {
  const left = () =>
    db.rows<{ raw: Buffer }>(
      sql`select raw from captured_mail where workspace_id = ${acme.id} and recipient = ${email} order by captured_at desc`,
    )
  const [mail] = await until(left, ({ length }) => length > 0)
  const text = mail?.raw.toString().replaceAll('=\r\n', '') ?? ''
  return `/confirm/${/\/confirm\/([\w-]{64})/.exec(text)?.[1] ?? assert.fail('no link')}`
}

test('202: the body says where the visitor goes; the contact is pending until they confirm, with the form’s tags', async () => {
  const answer = await post({ email: ' Ada@example.com ', firstName: 'Ada' })
  assert.equal(answer.status, 202)
  assert.deepEqual(answer.body, {
    object: 'sign_up',
    status: 'pending',
    message:
      'To finish, open the e-mail that acme is sending you and confirm your subscription. It usually arrives within minutes.',
    thanks_url: 'https://shop.example/thanks',
  })
  assert.equal(answer.headers.get('access-control-allow-origin'), origin)
  assert.equal(answer.headers.get('vary'), 'Origin')
  assert.equal(answer.headers.get('access-control-allow-credentials'), null)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const link = await linkTo('ada@example.com')
  const status = () =>
    db.row<{ status: string; tags: string[]; name: string | null }>(
      sql`select status, tags, first_name as name from subscriber where workspace_id = ${acme.id} and email = 'ada@example.com'`,
    )
  assert.deepEqual(await status(), { status: 'pending', tags: [], name: null })
  await press(api.baseUrl, await open(api.baseUrl, link))
  assert.deepEqual(await status(), { status: 'subscribed', tags: ['news'], name: 'Ada' })
})

test('200: the preflight of an allowed origin, without credentials; 403 of any other, with no permission at all', async () => {
  const asks = { 'access-control-request-method': 'POST' }
  const allowed = await post(null, { method: 'OPTIONS', headers: asks })
  assert.equal(allowed.status, 200)
  assert.deepEqual(
    ['origin', 'methods', 'headers', 'credentials'].map((name) =>
      allowed.headers.get(`access-control-allow-${name}`),
    ),
    [origin, 'POST', 'Content-Type', null],
  )
  for (const other of [
    'https://shop.example.evil',
    'https://evil-shop.example',
    'https://sub.shop.example',
    'https://SHOP.example',
    'HTTPS://shop.example',
    'http://shop.example',
    'https://shop.example:8443',
    'https://shop.example:443',
    'https://shop.example/',
    'https://shop.example, https://shop.example',
    'null',
    '*',
    '',
  ])
    for (const method of ['OPTIONS', 'POST']) {
      const answer = await post({ email: 'x@example.com' }, { method, headers: { origin: other } })
      assert.equal(answer.status, 403, other)
      assert.equal(at(answer.body, 'error', 'code'), 'foreign_origin')
      const reason = ['null', ''].includes(other) ? 'form_without_origin' : 'form_origin'
      assert.equal(at(answer.body, 'error', 'details', 'reason'), reason, other)
      assert.deepEqual(
        [...answer.headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
        other,
      )
      assert.equal(answer.headers.get('vary'), 'Origin')
    }
  assert.ok(!(await signUps()).includes('x@example.com'))
})

test('new, known, suppressed and erased addresses: the same answer, after the same wait', async () => {
  await reset()
  await acme.suppress('bounced@example.com', 'bounce')
  await api.run(
    `insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
     select ${acme.id}, gen_random_uuid(), name || '@example.com', 'subscribed', facteur_now(), facteur_now() from unnest(array['known', 'erased']) name`,
  )
  await eraseContact(api.service, { workspaceId: acme.id, email: 'erased@example.com' })
  const waits: number[] = []
  const { clock } = api.service
  const { sleep } = clock
  Object.assign(clock, { sleep: (ms: number, ...rest: []) => (waits.push(ms), sleep(ms, ...rest)) })
  try {
    const observed = await Promise.all(
      ['new', 'known', 'bounced', 'erased'].map((name) => post({ email: `${name}@example.com` })),
    )
    for (const { status, body, headers } of observed) {
      assert.equal(status, 202)
      assert.deepEqual(body, observed[0]?.body)
      assert.deepEqual(
        [...headers.keys()].toSorted(),
        [...(observed[0]?.headers.keys() ?? [])].toSorted(),
      )
    }
    assert.equal(waits.filter((ms) => ms === 2_000).length, 4)
  } finally {
    Object.assign(clock, { sleep })
  }
})

test('only the form’s own fields count: a visitor sets no tag, status or address to return to', async () => {
  await reset()
  const answer = await post({
    email: 'own@example.com',
    lastName: 'Not asked',
    tags: ['vip'],
    status: 'subscribed',
    double_opt_in: false,
    thanks_url: 'https://evil.example',
    'fields.role': 'admin',
  })
  assert.equal(at(answer.body, 'thanks_url'), 'https://shop.example/thanks')
  await press(api.baseUrl, await open(api.baseUrl, await linkTo('own@example.com')))
  const row = await db.row(
    sql`select last_name as name, tags, fields from subscriber where workspace_id = ${acme.id} and email = 'own@example.com'`,
  )
  assert.deepEqual(row, { name: null, tags: ['news'], fields: {} })
})

test('202: the hidden field takes nothing', async () => {
  const before = (await post({ email: 'a@example.com', website: 'http://spam.example' })).body
  assert.equal(at(before, 'status'), 'pending')
  assert.ok(!(await signUps()).includes('a@example.com'))
})

test('the hidden field is answered in the time of the others, and counts in their limits', async () => {
  await reset()
  const result = await findForm(api.service, form.replace('/forms/', ''))
  assert.ok(result)
  for (const website of ['', 'http://spam.example']) {
    const clock = createFrozenClock()
    const taken = signUp(
      { ...api.service, clock },
      {
        ...{ workspaceId: acme.id, form: result.form, shown: '', isElsewhere: true },
        ...{ language: 'en', ip: '192.0.2.7', userAgent: null },
        typed: new Map([
          ['email', 'b@example.com'],
          ['website', website],
        ]),
      },
    )
    await until(
      () => Promise.resolve(clock.sleepersMs()),
      (sleepers) => sleepers.length === 1 && sleepers[0] === fillMsMin,
    )
    clock.advance(fillMsMin)
    assert.equal(await taken, 'taken')
  }
  assert.deepEqual(await db.column(sql`select taken from public.sign_up_rate`), [2, 2])
})

test('422: what is wrong, in words for the visitor; a body that is none, or is too large', async () => {
  const wrong = await post({ email: 'nobody', firstName: 'x'.repeat(121) })
  assert.equal(wrong.status, 422)
  assert.equal(at(wrong.body, 'error', 'details', 'path'), 'email')
  assert.match(String(at(wrong.body, 'message')), /^This is not a complete e-mail address/)
  assert.equal(wrong.headers.get('access-control-allow-origin'), origin)
  for (const [body, headers] of [
    ['[]', {}],
    ['{', {}],
    [JSON.stringify({ email: 7 }), {}],
    [JSON.stringify({ email: 'a@example.com', more: 'x'.repeat(16 * 1024) }), {}],
    ['email=a%40example.com', { 'content-type': 'application/x-www-form-urlencoded' }],
  ] as const) {
    const answer = await post(body, { headers })
    assert.equal(answer.status, 422, body.slice(0, 40))
    assert.equal(at(answer.body, 'error', 'code'), 'validation_error')
  }
})

test('404: a closed form, an unknown one; 405: another method', async () => {
  const path = await makeForm()
  const unknown = await post(
    {},
    { path: `/forms/${writeFormId({ workspaceId: acme.id, id: api.service.makeId() })}` },
  )
  assert.deepEqual(
    [unknown.status, unknown.headers.get('access-control-allow-origin')],
    [404, null],
  )
  await api.run(
    `update sign_up_form set enabled = false where created_at = (select max(created_at) from sign_up_form)`,
  )
  const closed = await post({ email: 'a@example.com' }, { path })
  assert.equal(closed.status, 404)
  assert.equal(at(closed.body, 'error', 'details', 'reason'), 'form_closed')
  const read = await post(null, { method: 'GET' })
  assert.deepEqual([read.status, read.headers.get('allow')], [405, 'POST'])
})

test('429: the limits of every sign-up hold, whatever the origin says', async () => {
  await reset()
  await api.run(
    `insert into public.sign_up_rate (workspace_id, bucket, since, taken) values (0, '127.0.0.1', facteur_now(), 20)`,
  )
  const answer = await post({ email: 'many@example.com' })
  assert.equal(answer.status, 429)
  assert.equal(at(answer.body, 'error', 'details', 'reason'), 'sign_ups')
  assert.ok(Number(answer.headers.get('retry-after')) > 0)
  assert.equal(answer.headers.get('access-control-allow-origin'), origin)
  await reset()
})

test('the owner’s pages: after the form of ours, and after confirming; the browser may go there', async () => {
  const path = await makeForm({
    thanksUrl: 'https://shop.example/thanks?from=form',
    confirmedUrl: 'https://news.example/welcome',
  })
  const page = await open(api.baseUrl, path)
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /form-action 'self' https:\/\/shop\.example;/,
  )
  const taken = await press(api.baseUrl, page, { email: 'own-page@example.com' })
  assert.deepEqual(
    [taken.status, taken.headers.get('location')],
    [303, 'https://shop.example/thanks?from=form'],
  )
  const link = await linkTo('own-page@example.com')
  const asks = await open(api.baseUrl, link)
  assert.match(
    asks.headers.get('content-security-policy') ?? '',
    /form-action 'self' https:\/\/news\.example;/,
  )
  const confirmed = await press(api.baseUrl, asks)
  assert.deepEqual(
    [confirmed.status, confirmed.headers.get('location')],
    [303, 'https://news.example/welcome'],
  )
  const again = await open(api.baseUrl, link)
  assert.equal(again.status, 200)
})

test('origins and pages of a form: exact, https, spelled as browsers do', async () => {
  const editor = await signIn(api, { in: { [acme.id]: 'editor' } })
  const create = (body: object) =>
    editor.ask('POST /workspaces/acme/api/v1/forms', { body: { name: 'Own', ...body } })
  const created = await create({
    origins: [
      'https://Shop.Example/',
      'https://shop.example:443',
      'http://localhost:3000',
      'https://bücher.example',
    ],
    thanks_url: ' https://shop.example/thanks ',
    confirmed_url: '',
  })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  assert.deepEqual(at(created.body, 'origins'), [
    'https://shop.example',
    'http://localhost:3000',
    'https://xn--bcher-kva.example',
  ])
  assert.deepEqual(
    [at(created.body, 'thanks_url'), at(created.body, 'confirmed_url')],
    ['https://shop.example/thanks', null],
  )
  assert.equal(at(created.body, 'json_url'), `${String(at(created.body, 'url'))}/json`)
  const renamed = await editor.ask(
    `PATCH /workspaces/acme/api/v1/forms/${String(at(created.body, 'id'))}`,
    { body: { name: 'Renamed' } },
  )
  assert.equal(at(renamed.body, 'thanks_url'), 'https://shop.example/thanks')
  for (const wrong of [
    '*',
    'null',
    'https://*.shop.example',
    'https://shop.example/page',
    'https://shop.example?',
    'shop.example',
    'https://user@shop.example',
    'ftp://shop.example',
    'data:text/html,x',
    '',
  ]) {
    const refused = await create({ origins: [wrong] })
    assert.equal(at(refused.body, 'error', 'details', 'rule'), 'origin', wrong)
  }
  for (const wrong of [
    'http://shop.example',
    'javascript:alert(1)',
    '/thanks',
    'https://user:pw@shop.example',
  ])
    for (const name of ['thanks_url', 'confirmed_url']) {
      const refused = await create({ [name]: wrong })
      assert.equal(at(refused.body, 'error', 'details', 'rule'), 'https_url', wrong)
      assert.equal(at(refused.body, 'error', 'details', 'path'), name)
    }
})
