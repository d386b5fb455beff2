/**
 * `POST /subscribers`: who is added, asked, merged and refused (spec: SubscriberRequest; semantics
 * 4: Subscriber).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { upsertSuppression } from '../../src/db/suppression/suppressions.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { untilWaits } from '../support/database.ts'
import { confirmToken, mailsTo } from '../support/mails.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const { db } = api.service

const add = (body: unknown, workspace: TestWorkspace = shop) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', { key: workspace.key, body })
const read = (email: string, workspace: TestWorkspace = shop) =>
  ask(api.baseUrl, `GET /api/v1/subscribers/${encodeURIComponent(email)}`, { key: workspace.key })
/** A contact alone is read with what it chose itself. */
const choices = { topics: [], language: null }
const count = async (statement: Parameters<typeof db.rows>[0]): Promise<number> =>
  (await db.rows(statement)).length

test('201: pending, asked to confirm, with every field as it is answered', async () => {
  const answer = await add({
    email: 'Camille@Example.com',
    firstName: 'Camille',
    lastName: 'Dupont',
    tags: ['newsletter', 'vip', 'newsletter'],
    fields: { city: 'Lyon' },
  })
  assertAnswered(answer, 201, {
    object: 'subscriber',
    email: 'camille@example.com',
    status: 'pending',
    firstName: 'Camille',
    lastName: 'Dupont',
    tags: ['newsletter', 'vip'],
    fields: { city: 'Lyon' },
    source: 'api',
    confirmed_at: null,
    unsubscribed_at: null,
    created: true,
    confirmation_sent: true,
  })
  assert.match(textAt(answer, 'id'), /^[0-9a-f-]{36}$/)
  assert.match(textAt(answer, 'created_at'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(textAt(answer, 'updated_at'), textAt(answer, 'created_at'))
  const { created, confirmation_sent, ...record } = Object(answer.body)
  assert.ok(created && confirmation_sent)
  assert.deepEqual((await read('camille@example.com')).body, { ...record, ...choices })
})

test('201: the request to confirm is from the default sender, in French, plain and HTML, auto-generated, and is no message of the API', async () => {
  const before = await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key })
  await add({ email: 'asked@example.com', firstName: 'Zoé <b>' })
  const [mail] = await mailsTo(api.service, shop.id, 'asked@example.com')
  assert.ok(mail)
  assert.equal(mail.from?.address, 'hello@shop.test')
  assert.equal(mail.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated')
  assert.match(mail.subject ?? '', /^Confirmez votre inscription/)
  assert.match(mail.subject ?? '', /shop/)
  assert.match(mail.html ?? '', /<html lang="fr">/)
  const link = `${api.service.settings.baseUrl}/confirm/${confirmToken(mail)}`
  assert.ok(mail.text?.includes(link) && mail.html?.includes(`href="${link}"`))
  // Read whole: a link's random letters may hold any two of a name.
  assert.doesNotMatch(JSON.stringify({ ...mail, raw: null }), /Zoé|<b>/, 'no text of the visitor')
  assertRefused(
    await ask(api.baseUrl, `GET /api/v1/emails/${mail.messageId}`, { key: shop.key }),
    'not_found',
  )
  const list = await ask(api.baseUrl, 'GET /api/v1/emails', { key: shop.key })
  assert.deepEqual(at(list.body, 'data'), [])
  const result = await ask(api.baseUrl, 'GET /api/v1/emails?recipient=asked@example.com', {
    key: shop.key,
  })
  assert.deepEqual(at(result.body, 'data'), [])
  const after = await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key })
  assert.deepEqual(at(after.body, 'quota'), at(before.body, 'quota'))
})

test('201: the request to confirm is in English where the workspace is', async () => {
  const english = await api.workspace('english')
  await api.run(
    `update workspace set language = 'en', postal_address = E'1 High Street\\nYork' where id = ${english.id}`,
  )
  await add({ email: 'asked@example.com' }, english)
  const [mail] = await mailsTo(api.service, english.id, 'asked@example.com')
  assert.match(mail?.subject ?? '', /^Confirm your subscription/)
  assert.match(mail?.html ?? '', /<html lang="en">[\s\S]*1 High Street<br>York/)
  assert.match(mail?.text ?? '', /1 High Street\nYork/)
})

test('201: double_opt_in false registers at once, with its key as evidence, and no mail', async () => {
  const answer = await add({ email: 'direct@example.com', double_opt_in: false })
  assertAnswered(answer, 201, {
    status: 'subscribed',
    created: true,
    confirmation_sent: false,
    confirmed_at: null,
  })
  const rows = await db.rows<{ act: string; source: string; key: string }>(sql`
    select act, source, api_key_id::text as key from consent_evidence where workspace_id = ${shop.id} and email = 'direct@example.com'`)
  const key = textAt(await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key }), 'key', 'id')
  assert.deepEqual(rows, [{ act: 'registered', source: 'api', key }])
  assert.equal(
    await count(
      sql`select from recipient where workspace_id = ${shop.id} and address_key = 'direct@example.com'`,
    ),
    0,
  )
})

test('201: double_opt_in true is the same as absent', async () => {
  assertAnswered(await add({ email: 'true@example.com', double_opt_in: true }), 201, {
    status: 'pending',
  })
})

test('201: an international address is stored with the A-label of its domain, and is read back in either spelling', async () => {
  assertAnswered(await add({ email: 'Ines@Bücher.Example' }), 201, {
    email: 'ines@xn--bcher-kva.example',
  })
  assertAnswered(await add({ email: 'INES@xn--bcher-kva.example' }), 200, { created: false })
  assertAnswered(await read('ines@bücher.example'), 200, { email: 'ines@xn--bcher-kva.example' })
})

test('201: prenom and nom are firstName and lastName; both given and equal is fine', async () => {
  assertAnswered(
    await add({ email: 'alias@example.com', prenom: 'Inès', nom: 'Martin', firstName: 'Inès' }),
    201,
    {
      firstName: 'Inès',
      lastName: 'Martin',
    },
  )
})

test('201: limits are reached in code points: 120 of a name, 60 of a tag, 500 of a field, 20 tags', async () => {
  const body = {
    email: 'full@example.com',
    firstName: '😀'.repeat(120),
    tags: Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(60, 'é')),
    fields: { note: '€'.repeat(500) },
  }
  assertAnswered(await add(body), 201, {
    firstName: body.firstName,
    tags: body.tags,
    fields: body.fields,
  })
})

test('200: an update merges: absent keys stay, tags are added, fields merged, empty texts clear, the status stays', async () => {
  const email = 'merged@example.com'
  const first = await add({
    email,
    firstName: 'A',
    lastName: 'B',
    tags: ['x', 'y'],
    fields: { a: '1', b: '2' },
    double_opt_in: false,
  })
  const second = await add({
    email: 'MERGED@example.com',
    firstName: '',
    tags: ['z', 'x'],
    fields: { b: '', c: '3' },
  })
  assertAnswered(second, 200, {
    id: textAt(first, 'id'),
    status: 'subscribed',
    firstName: null,
    lastName: 'B',
    tags: ['x', 'y', 'z'],
    created: false,
    confirmation_sent: false,
  })
  assert.deepEqual(at(second.body, 'fields'), { a: '1', c: '3' })
  assert.ok(textAt(second, 'updated_at') >= textAt(first, 'updated_at'))
  const { created, confirmation_sent, ...record } = Object(second.body)
  assert.ok(!created && !confirmation_sent)
  assert.deepEqual((await read(email)).body, { ...record, ...choices })
})

test('200: a pending subscriber is asked again at most once an hour, and not by double_opt_in false', async () => {
  const email = 'again@example.com'
  assertAnswered(await add({ email }), 201, { confirmation_sent: true })
  assertAnswered(await add({ email }), 200, { status: 'pending', confirmation_sent: false })
  await db.count(sql`
    update subscriber set confirmation_sent_at = facteur_now() - interval '61 minutes' where workspace_id = ${shop.id} and email = ${email}`)
  assertAnswered(await add({ email, double_opt_in: false }), 200, {
    status: 'pending',
    confirmation_sent: false,
  })
  assertAnswered(await add({ email }), 200, { status: 'pending', confirmation_sent: true })
  assertAnswered(await add({ email }), 200, { confirmation_sent: false })
  assert.equal((await mailsTo(api.service, shop.id, email, 2)).length, 2)
})

test('201: tags and fields that did not exist are made', async () => {
  await add({
    email: 'maker@example.com',
    tags: ['brand-new'],
    fields: { brand_new: 'x', never_used: '' },
  })
  assert.equal(
    await count(
      sql`select from subscriber_tag where workspace_id = ${shop.id} and name = 'brand-new'`,
    ),
    1,
  )
  assert.equal(
    await count(
      sql`select from subscriber_field where workspace_id = ${shop.id} and key = 'brand_new'`,
    ),
    1,
  )
  assert.equal(
    await count(
      sql`select from subscriber_field where workspace_id = ${shop.id} and key = 'never_used'`,
    ),
    0,
  )
  assert.deepEqual(at((await read('maker@example.com')).body, 'fields'), { brand_new: 'x' })
})

test('422 validation_error: the 101st custom field of a workspace, also when two calls define it at once; nothing is stored', async () => {
  const wide = await api.workspace('wide')
  const fields = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`f${n}`, 'x']))
  assertAnswered(await add({ email: 'wide@example.com', fields }, wide), 201)
  const answers = await Promise.all(
    ['one', 'two', 'three'].map((key) =>
      add({ email: `${key}@example.com`, fields: { [key]: 'x', f1: 'y' } }, wide),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 422, 422])
  assertRefused(
    await add({ email: 'late@example.com', fields: { late: 'x' } }, wide),
    'validation_error',
    {
      path: 'fields',
      rule: 'fields_max',
      limit: 100,
    },
  )
  assertRefused(await read('late@example.com', wide), 'not_found')
  assertAnswered(await add({ email: 'late@example.com', fields: { f1: 'x', late: '' } }, wide), 201)
})

const control = { rule: 'control_character' }
const refused: [situation: string, body: unknown, details: object][] = [
  ['no address', { firstName: 'A' }, { path: 'email', rule: 'required' }],
  ...['unsubscribed', 'status', 'list_ids', 'topics', 'doubleOptIn'].map(
    (key): [string, unknown, object] => [
      `the key ${key} of another service`,
      { email: 'a@example.com', [key]: true },
      { path: key, rule: 'not_supported' },
    ],
  ),
  ['an address that is a number', { email: 3 }, { path: 'email', rule: 'type' }],
  ['no address at all', { email: 'nobody' }, { path: 'email', rule: 'address.missing_at' }],
  [
    'an address of 321 characters',
    { email: `${'a'.repeat(309)}@example.com` },
    { path: 'email', rule: 'maxLength', limit: 320 },
  ],
  [
    'an address with a name',
    { email: 'Camille <camille@example.com>' },
    { path: 'email', rule: 'address.name' },
  ],
  [
    'two addresses',
    { email: 'a@example.com,b@example.com' },
    { path: 'email', rule: 'address.more_than_one_address' },
  ],
  [
    'a first name of 121',
    { email: 'a@example.com', firstName: 'x'.repeat(121) },
    { path: 'firstName', rule: 'maxLength', limit: 120 },
  ],
  [
    'a nom of 121',
    { email: 'a@example.com', nom: 'x'.repeat(121) },
    { path: 'nom', rule: 'maxLength', limit: 120 },
  ],
  [
    'prenom and firstName that differ',
    { email: 'a@example.com', firstName: 'A', prenom: 'B' },
    { path: 'prenom', rule: 'alias_differs' },
  ],
  [
    'nom and lastName that differ',
    { email: 'a@example.com', lastName: 'A', nom: '' },
    { path: 'nom', rule: 'alias_differs' },
  ],
  [
    'a line feed in a name',
    { email: 'a@example.com', firstName: 'A\nBcc: x' },
    { path: 'firstName', ...control },
  ],
  [
    'a control character in an alias',
    { email: 'a@example.com', nom: '\u0007' },
    { path: 'nom', ...control },
  ],
  [
    'a control character in a tag',
    { email: 'a@example.com', tags: ['ok', 'a\tb'] },
    { path: 'tags.1', ...control },
  ],
  [
    '21 tags',
    { email: 'a@example.com', tags: Array.from({ length: 21 }, String) },
    { path: 'tags', rule: 'maxItems', limit: 20 },
  ],
  [
    'an empty tag',
    { email: 'a@example.com', tags: [''] },
    { path: 'tags.0', rule: 'minLength', limit: 1 },
  ],
  [
    'a tag of 61',
    { email: 'a@example.com', tags: ['x'.repeat(61)] },
    { path: 'tags.0', rule: 'maxLength', limit: 60 },
  ],
  ['tags that are a text', { email: 'a@example.com', tags: 'vip' }, { path: 'tags', rule: 'type' }],
  [
    'a field of 501',
    { email: 'a@example.com', fields: { note: 'x'.repeat(501) } },
    { path: 'fields.note', rule: 'maxLength', limit: 500 },
  ],
  [
    'a field that is a number',
    { email: 'a@example.com', fields: { age: 3 } },
    { path: 'fields.age', rule: 'type' },
  ],
  [
    'a field key in capitals',
    { email: 'a@example.com', fields: { City: 'x' } },
    { path: 'fields.City', rule: 'field_key' },
  ],
  [
    'a field key of 61',
    { email: 'a@example.com', fields: { ['x'.repeat(61)]: 'x' } },
    { rule: 'field_key' },
  ],
  [
    'a field key with a line feed',
    { email: 'a@example.com', fields: { 'a\n': 'x' } },
    { rule: 'field_key' },
  ],
  [
    '101 fields',
    {
      email: 'a@example.com',
      fields: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`g${n}`, ''])),
    },
    { rule: 'fields_max' },
  ],
  [
    'double_opt_in that is a text',
    { email: 'a@example.com', double_opt_in: 'false' },
    { path: 'double_opt_in', rule: 'type' },
  ],
]
for (const [situation, body, details] of refused) {
  test(`422 validation_error: ${situation}`, async () => {
    assertRefused(await add(body), 'validation_error', details)
  })
}

test('422 validation_error: a field called __proto__ is only a bad key', async () => {
  const raw = '{"email": "a@example.com", "fields": {"__proto__": "x"}}'
  const answer = await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, raw })
  assertRefused(answer, 'validation_error', { rule: 'field_key' })
})

test('422 suppressed_recipient: a suppressed address is refused with its reason, with or without confirmation; nothing is stored', async () => {
  for (const reason of ['unsubscribe', 'manual', 'bounce', 'complaint'] as const) {
    const email = `${reason}@closed.example`
    await shop.suppress(email, reason)
    for (const double_opt_in of [true, false]) {
      const answer = await add({ email: email.toUpperCase(), double_opt_in })
      assertRefused(answer, 'suppressed_recipient', { email, reason, status: null })
      assert.deepEqual(Object.keys(Object(at(answer.body, 'error', 'details'))).toSorted(), [
        'email',
        'reason',
        'status',
      ])
    }
    assertRefused(await read(email), 'not_found')
  }
  await api.suppressOnPlatform('platform@closed.example')
  assertRefused(await add({ email: 'platform@closed.example' }), 'suppressed_recipient', {
    reason: 'manual',
  })
})

test('422 suppressed_recipient: an unsubscribed contact, by any path, with the status; the record does not change', async () => {
  await add({ email: 'left@example.com', firstName: 'A', double_opt_in: false })
  await ask(api.baseUrl, 'DELETE /api/v1/subscribers/left@example.com', { key: shop.key })
  const before = (await read('left@example.com')).body
  assertRefused(await add({ email: 'left@example.com', firstName: 'B' }), 'suppressed_recipient', {
    email: 'left@example.com',
    reason: 'unsubscribe',
    status: 'unsubscribed',
  })
  assert.deepEqual((await read('left@example.com')).body, before)
})

test('422 suppressed_recipient: an unsubscribed contact stays so when a user removes the address from the list', async () => {
  await add({ email: 'lifted@example.com', double_opt_in: false })
  await ask(api.baseUrl, 'DELETE /api/v1/subscribers/lifted@example.com', { key: shop.key })
  await api.run(`delete from suppression where email = 'lifted@example.com'`)
  const details = { reason: 'unsubscribe', status: 'unsubscribed', suppressed: false }
  const refusal = await add({ email: 'lifted@example.com', double_opt_in: false })
  assertRefused(refusal, 'suppressed_recipient', details)
  assert.match(
    String(at(refusal.body, 'message')),
    /s'est désinscrite.*ne figure plus sur la liste d'exclusion/,
  )
  for (const status of ['bounced', 'complained']) {
    await api.run(`update subscriber set status = '${status}' where email = 'lifted@example.com'`)
    const again = await add({ email: 'lifted@example.com' })
    assertRefused(again, 'suppressed_recipient', { status, suppressed: false })
    assert.match(String(at(again.body, 'message')), new RegExp(`reste \`${status}\``))
  }
})

test('422 validation_error, reason no_sender: nothing is stored; a contact without confirmation is added', async () => {
  const bare = await api.workspace('bare')
  await api.run(`delete from sender where workspace_id = ${bare.id}`)
  assertRefused(
    await add({ email: 'a@example.com', tags: ['t'], fields: { f: 'x' } }, bare),
    'validation_error',
    {
      reason: 'no_sender',
    },
  )
  assertRefused(await read('a@example.com', bare), 'not_found')
  assert.equal(await count(sql`select from subscriber_tag where workspace_id = ${bare.id}`), 0)
  assert.equal(await count(sql`select from subscriber_field where workspace_id = ${bare.id}`), 0)
  assertAnswered(await add({ email: 'a@example.com', double_opt_in: false }, bare), 201)
  assertAnswered(await add({ email: 'a@example.com', firstName: 'B' }, bare), 200)
  await bare.suppress('closed@example.com', 'manual')
  assertRefused(await add({ email: 'closed@example.com' }, bare), 'suppressed_recipient')
})

test('422 unverified_from_domain: the sender is on a domain that is not verified', async () => {
  const loose = await api.workspace('loose')
  await api.run(`update domain set status = 'pending' where workspace_id = ${loose.id}`)
  assertRefused(await add({ email: 'a@example.com' }, loose), 'unverified_from_domain', {
    from: 'hello@loose.test',
    verifiedDomains: [],
  })
  assertRefused(await read('a@example.com', loose), 'not_found')
})

test('403 reputation_blocked: no contact to confirm is added while sending is suspended; others are', async () => {
  const bad = await api.workspace('bad')
  await add({ email: 'known@example.com', double_opt_in: false }, bad)
  await bad.suppress('closed@example.com', 'manual')
  await bad.setReputation({ handOffs: 200, bounces: 20, complaints: 0 })
  assertRefused(await add({ email: 'a@example.com' }, bad), 'reputation_blocked', { bounces: 20 })
  assertRefused(await add({ email: 'closed@example.com' }, bad), 'reputation_blocked')
  assertRefused(
    await add({ email: 'closed@example.com', double_opt_in: false }, bad),
    'suppressed_recipient',
  )
  assertRefused(await read('a@example.com', bad), 'not_found')
  assertAnswered(await add({ email: 'a@example.com', double_opt_in: false }, bad), 201)
  assertAnswered(await add({ email: 'known@example.com', firstName: 'K' }, bad), 200)
  assertRefused(await add({ email: 'b@example.com', firstName: '\n' }, bad), 'validation_error')
})

test('fifty twins at once make one record and one request to confirm: one 201, the others 200', async () => {
  const email = 'twins@example.com'
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      add({ email, tags: [`t${n % 10}`], fields: { [`twin_${n % 5}`]: 'x' } }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 200).length, 49)
  assert.equal(new Set(answers.map((answer) => textAt(answer, 'id'))).size, 1)
  assert.equal(answers.filter(({ body }) => at(body, 'confirmation_sent') === true).length, 1)
  assert.equal((await mailsTo(api.service, shop.id, email)).length, 1)
  const { body } = await read(email)
  assert.equal(Object(at(body, 'tags')).length, 10)
  assert.equal(Object.keys(Object(at(body, 'fields'))).length, 5)
})

test('an address that is suppressed while its contact is being added does not stay subscribed', async () => {
  const email = 'closed-meanwhile@example.com'
  const adding = await db.transaction(async (tx) => {
    // It passes the suppression check, and waits to be written.
    await tx.rows(sql`lock table subscriber in share mode`)
    const answer = add({ email, double_opt_in: false })
    await untilWaits(api.database.url, 'insert into subscriber')
    await upsertSuppression(db, shop.id, {
      id: api.service.makeId(),
      email,
      reason: 'manual',
      sourceId: null,
    })
    return { answer }
  })
  assertAnswered(await adding.answer, 201)
  assertAnswered(await read(email), 200, { status: 'unsubscribed' })
})

test('the same address is another subscriber in another workspace', async () => {
  const other = await api.workspace('other')
  assertAnswered(await add({ email: 'both@example.com', firstName: 'One' }), 201)
  assertAnswered(await add({ email: 'both@example.com', firstName: 'Two' }, other), 201)
  assertAnswered(await read('both@example.com'), 200, { firstName: 'One' })
})
