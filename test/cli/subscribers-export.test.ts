/** Exports of subscribers and suppressions to files, and imports of them. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask } from '../support/ask.ts'
import { runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createOperator, insertWaiting } from './facteur.ts'

const api = await startApi({ workers: false })
const { url } = api.database
const operator = createOperator({ DATABASE_URL: url })
const folder = makeTemporaryFolder('export')

async function workspace(name: string): Promise<{ id: string; slug: string }> {
  const created = await operator.json(['workspace', 'create', name])
  return { id: String(at(created, 'id')), slug: String(at(created, 'slug')) }
}

function fileOf(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const linesOf = (text: string): string[] => text.split('\r\n').slice(0, -1)

test('an export is a file that imports as it was, and no cell of it is carried out by a spreadsheet', async () => {
  const [from, to] = [await workspace('Out'), await workspace('In')]
  const contacts = `email,firstName,lastName,tags,fields.city,fields.note
ada@example.com,Ada,"Love, lace","a,b","New ""York""",=1+1
+33@example.com,-Eve,@home,,,'quoted
`
  const consent = ['--consent', 'They asked at the fair']
  await operator.json([
    'subscriber',
    'import',
    '--workspace',
    from.slug,
    ...consent,
    fileOf('people.csv', contacts),
  ])
  await operator.json(['suppression', 'add', '--workspace', from.slug, '+33@example.com'])
  const whole = await operator.text(['subscriber', 'export', '--workspace', from.slug])
  const [head, eve = '', ada = '', ...rest] = linesOf(whole)
  assert.equal(
    head,
    'email,firstName,lastName,status,tags,fields.city,fields.note,source,id,created_at,updated_at,confirmed_at,unsubscribed_at',
  )
  assert.deepEqual(rest, [])
  assert.match(eve, /^'\+33@example\.com,'-Eve,'@home,unsubscribed,,,'quoted,import,/)
  assert.match(
    ada,
    /^ada@example\.com,Ada,"Love, lace",subscribed,"a,b","New ""York""",'=1\+1,import,/,
  )
  assert.deepEqual(
    linesOf(
      await operator.text([
        'subscriber',
        'export',
        '--workspace',
        from.slug,
        '--status',
        'subscribed',
      ]),
    ),
    [head, ada],
  )

  const back = await operator.json([
    'subscriber',
    'import',
    '--workspace',
    to.slug,
    ...consent,
    fileOf('back.csv', whole),
  ])
  assert.partialDeepStrictEqual(back, { new: 1, refused: 1, reasons: { 'file.unsubscribed': 1 } })
  const contents = (id: string) =>
    `select email, first_name, last_name, tags, fields from subscriber where workspace_id = ${id} and status = 'subscribed' order by email`
  assert.deepEqual(
    (await runOn(url, contents(to.id))).rows,
    (await runOn(url, contents(from.id))).rows,
  )
})

test('values that only the API can write come back unchanged: lines, separators in tags, guards, and fields named like parts of the language', async () => {
  const [from, to] = [await api.workspace('Odd out'), await workspace('Odd in')]
  const add = (body: object) =>
    ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: from.key,
      body: { double_opt_in: false, ...body },
    })
  await add({ email: 'one@example.com', fields: { constructor: 'mine' } })
  const two = {
    firstName: "'=1+1",
    lastName: "''+2",
    tags: ['a,b', 'c;d', String.raw`e\f`, String.raw`g\,`],
  }
  await add({ email: 'two@example.com', ...two, fields: { note: 'first\nsecond', phone: "'+33" } })
  const whole = await operator.text(['subscriber', 'export', '--workspace', String(from.id)])
  assert.doesNotMatch(whole, /native code/)
  const back = [
    'subscriber',
    'import',
    '--workspace',
    to.slug,
    '--consent',
    'They asked',
    fileOf('odd.csv', whole),
  ]
  assert.partialDeepStrictEqual(await operator.json(back), { new: 2, refused: 0 })
  const contents = (id: string | number) =>
    `select email, first_name, last_name, tags, fields from subscriber where workspace_id = ${id} order by email`
  assert.deepEqual(
    (await runOn(url, contents(to.id))).rows,
    (await runOn(url, contents(from.id))).rows,
  )
})

test('JSON is one document, with --format json as with --json; an empty export has its head; a list is a table', async () => {
  const { slug } = await workspace('Forms')
  const line = ['subscriber', 'export', '--workspace', slug]
  assert.match(await operator.text(line), /^email,firstName,[^\n]*\r\n$/)
  await operator.json([
    'subscriber',
    'import',
    '--workspace',
    slug,
    '--consent',
    'They asked',
    fileOf('one.csv', 'email\none@example.com\n'),
  ])
  const list = await operator.json(line)
  assert.partialDeepStrictEqual(list, {
    data: [
      { object: 'subscriber', email: 'one@example.com', status: 'subscribed', source: 'import' },
    ],
  })
  assert.deepEqual(JSON.parse(await operator.text([...line, '--format', 'json'])), list)
  assert.match(
    await operator.text(['subscriber', 'list', '--workspace', slug]),
    /^EMAIL +STATUS .*\none@example\.com +subscribed +- +- +import/,
  )
  assert.equal(
    await operator.text(['subscriber', 'list', '--workspace', slug, '--status', 'pending']),
    'There is no such subscriber.\n',
  )
  await operator.refused([...line, '--format', 'xml'], {
    code: 'usage',
    exit: 2,
    message: /none of csv, json/,
  })
})

test('an export longer than a page is whole, in order and without repeats', async () => {
  const { id, slug } = await workspace('Long')
  await runOn(
    url,
    `insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
     select ${id}, gen_random_uuid(), n || '@long.example', 'subscribed', facteur_now(), facteur_now() from generate_series(1, 2500) n`,
  )
  const ids = linesOf(await operator.text(['subscriber', 'export', '--workspace', slug]))
    .slice(1)
    .map((line) => line.split(',')[6] ?? '')
  assert.equal(new Set(ids).size, 2_500)
  assert.deepEqual(ids, ids.toSorted().toReversed())
})

test('suppression import: suppresses, unsubscribes, stops waiting mail; the stronger reason stays; export gives it back', async () => {
  const { id, slug } = await workspace('Closing')
  await operator.json([
    'subscriber',
    'import',
    '--workspace',
    slug,
    '--consent',
    'They asked',
    fileOf('two.csv', 'email\nada@example.com\nbob@example.com\n'),
  ])
  await runOn(
    url,
    `with m as (
       insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
       values (${id}, gen_random_uuid(), '{}', 'Hello', 'a@b.test', facteur_now(), '2026-11-01') returning workspace_id, id)
     insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at)
     select workspace_id, id, 0, 'to', 'waits@example.com', 'waits@example.com', 'queued', 'pending', 'transactional', facteur_now() from m`,
  )
  const file = fileOf(
    'closed.csv',
    'Adresse;Motif\nADA@example.com;bounce\nwaits@example.com;\nada@example.com;unsubscribe\nnobody;\nx@example.com;weather\n',
  )
  const line = [
    'suppression',
    'import',
    '--workspace',
    slug,
    '--refused',
    join(folder, 'refused.csv'),
    file,
  ]
  assert.equal(
    await operator.text(line),
    '2 suppressed, 0 were suppressed already, 2 refused.\n  1  email.missing_at: not an address: there is no @\n' +
      '  1  reason: the reason is none of unsubscribe, manual, bounce, complaint\n',
  )
  const { rows } = await runOn(
    url,
    `select (select string_agg(email || ' ' || status, ', ' order by email) from subscriber where workspace_id = ${id}) as people,
       (select string_agg(act || ' ' || source, ', ' order by at) from consent_evidence where workspace_id = ${id} and email = 'ada@example.com') as evidence,
       (select status || ' ' || error from recipient where workspace_id = ${id}) as waiting`,
  )
  assert.deepEqual(rows, [
    {
      people: 'ada@example.com unsubscribed, bob@example.com subscribed',
      evidence: 'registered import, unsubscribed suppression',
      waiting: 'failed suppressed: manual',
    },
  ])
  assert.partialDeepStrictEqual(await operator.json([...line, '--reason', 'complaint']), {
    new: 0,
    known: 2,
    finished: true,
  })
  const exported = linesOf(await operator.text(['suppression', 'export', '--workspace', slug]))
  assert.equal(exported[0], 'email,reason,scope,source_id,created_at')
  assert.deepEqual(
    exported
      .slice(1)
      .map((each) => each.split(',').slice(0, 3).join(','))
      .toSorted(),
    ['ada@example.com,bounce,organization', 'waits@example.com,complaint,organization'],
  )
})

test('suppression import --platform suppresses for every workspace, and a weaker reason replaces no stronger one', async () => {
  const { id, slug } = await workspace('Everywhere')
  await operator.json([
    'subscriber',
    'import',
    '--workspace',
    slug,
    '--consent',
    'They asked',
    fileOf('all.csv', 'email\nall@example.com\n'),
  ])
  await insertWaiting(url, id, 'all@example.com')
  const file = fileOf('platform.csv', 'email,reason\nall@example.com,complaint\n')
  assert.partialDeepStrictEqual(
    await operator.json(['suppression', 'import', '--platform', file]),
    { new: 1, refused: 0 },
  )
  const { rows } = await runOn(
    url,
    `select status, error from recipient where workspace_id = ${id}`,
  )
  assert.deepEqual(rows, [{ status: 'failed', error: 'suppressed: complaint' }])
  assert.match(
    await operator.text(['suppression', 'export', '--platform']),
    /\r\nall@example\.com,complaint,platform,,/,
  )
  const weaker = fileOf('weaker.csv', 'email,reason\nall@example.com,manual\n')
  assert.partialDeepStrictEqual(
    await operator.json(['suppression', 'import', '--platform', weaker]),
    { new: 0, refused: 0 },
  )
  assert.match(
    await operator.text(['suppression', 'export', '--platform']),
    /\r\nall@example\.com,complaint,platform,,/,
  )
  const again = await operator.json([
    'subscriber',
    'import',
    '--workspace',
    slug,
    '--consent',
    'Other words',
    fileOf('all.csv', 'email\nall@example.com\n'),
  ])
  assert.partialDeepStrictEqual(again, { new: 0, reasons: { 'suppressed.complaint': 1 } })
})
