/**
 * Imports of subscribers: every rule of a file, the resume after any interruption, and the report
 * of a dry run.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImportInput } from '../../../src/core/audience/imports/engine/import-input.ts'
import {
  readColumns,
  type ColumnMapping,
  type ImportColumns,
} from '../../../src/core/audience/imports/columns/import-columns.ts'
import { importSubscribers } from '../../../src/core/audience/imports/engine/import-subscribers.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { cleanUp } from '../../../src/entrypoints/workers/clean-up.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { ask } from '../../support/ask.ts'

const api = await startApi()
const { db } = api.service
const context = { ...api.service, openLinkTokens: () => Promise.resolve(api.service.linkTokens) }

const mapped =
  (column: ColumnMapping) =>
  (headers: string[]): ImportColumns =>
    readColumns(headers, [column])

const never = new AbortController().signal
const plain: Omit<ImportInput, 'open' | 'onRefused'> = {
  fileName: 'people.csv',
  columnsOf: (headers) => readColumns(headers, []),
  statusWords: [],
  tagSeparators: null,
  onReading: () => undefined,
  tags: [],
  consent: 'They asked for it at the fair',
  person: null,
  apiKeyId: null,
  since: null,
  dryRun: false,
  onProgress: () => undefined,
  signal: never,
}

async function importText(
  workspace: TestWorkspace,
  text: string,
  options: Partial<ImportInput> = {},
  ctx = context,
) {
  const refused: Record<number, string> = {}
  const result = await importSubscribers(ctx, {
    workspaceId: workspace.id,
    ...plain,
    async *open() {
      yield Buffer.from(text)
    },
    onRefused: async (lines) => {
      for (const { line, reason } of lines) refused[line] = reason
    },
    ...options,
  })
  const { added, updated, finished, resumedAt } = result
  return { added, updated, finished, resumedAt, refused, result }
}

interface Stored {
  email: string
  status: string
  firstName: string | null
  lastName: string | null
  tags: string[]
  fields: Record<string, string>
  source: string
}

const subscribersOf = ({ id }: TestWorkspace): Promise<Stored[]> =>
  db.rows<Stored>(sql`
    select email, status, first_name, last_name, tags, fields, source from subscriber where workspace_id = ${id} order by email`)

const consentsOf = ({ id }: TestWorkspace) =>
  db.rows(
    sql`select email, act, shown, source from consent_evidence where workspace_id = ${id} order by email, act`,
  )

test('a line that would give a subscriber more than 200 tags is refused; one whose tags are there, or fit, is stored', async () => {
  const workspace = await api.workspace('Import tags')
  await api.run(`
    insert into subscriber (workspace_id, id, email, status, tags, fields, source, created_at, updated_at)
    select ${workspace.id}, gen_random_uuid(), name || '@example.com', 'subscribed', array(select 'tag ' || i from generate_series(1, count) i),
      '{}', 'api', facteur_now(), facteur_now()
    from (values ('full', 200), ('known', 200), ('nearly', 199), ('over', 199)) t (name, count)`)
  const text =
    'email,tags\nfull@example.com,one more\nknown@example.com,tag 7\nnearly@example.com,one more\nover@example.com,"one more, two more"\n'
  const { refused, updated } = await importText(workspace, text)
  assert.deepEqual(refused, { 2: 'tags.too_many_in_all', 5: 'tags.too_many_in_all' })
  assert.equal(updated, 2)
  const counts = (await subscribersOf(workspace)).map(({ email, tags }) => [
    email.split('@')[0],
    tags.length,
  ])
  assert.deepEqual(Object.fromEntries(counts), { full: 200, known: 200, nearly: 200, over: 199 })
})

test('subscribers are stored with what the header says, in French or English, with evidence of their consent', async () => {
  const workspace = await api.workspace('Import plain')
  const text =
    '\ufeffNom;Prénom;Adresse e-mail;Étiquettes;fields.city;Note\r\nLovelace;Ada;ADA@Example.com;vip, fair;Paris;x\r\n;;bob@bücher.example;;;\r\n'
  const { added, updated, refused, result } = await importText(workspace, text, { tags: ['2026'] })
  assert.deepEqual(
    { added, updated, refused, ignored: result.columns.ignored },
    { added: 2, updated: 0, refused: {}, ignored: ['Note'] },
  )
  assert.deepEqual(await subscribersOf(workspace), [
    {
      ...{
        email: 'ada@example.com',
        status: 'subscribed',
        firstName: 'Ada',
        lastName: 'Lovelace',
        source: 'import',
      },
      ...{ tags: ['2026', 'vip', 'fair'], fields: { city: 'Paris' } },
    },
    {
      ...{
        email: 'bob@xn--bcher-kva.example',
        status: 'subscribed',
        firstName: null,
        lastName: null,
        source: 'import',
      },
      ...{ tags: ['2026'], fields: {} },
    },
  ])
  const evidence = { act: 'registered', shown: 'They asked for it at the fair', source: 'import' }
  assert.deepEqual(await consentsOf(workspace), [
    { email: 'ada@example.com', ...evidence },
    { email: 'bob@xn--bcher-kva.example', ...evidence },
  ])
  const names = await db.rows<{ name: string }>(
    sql`select name from subscriber_tag where workspace_id = ${workspace.id} order by name`,
  )
  assert.deepEqual(
    names.map(({ name }) => name),
    ['2026', 'fair', 'vip'],
  )
  const me = await ask(api.baseUrl, 'GET /api/v1/me', { key: workspace.key })
  assert.partialDeepStrictEqual(me.body, { subscribers: 2 })
})

test('an existing subscriber is merged: an empty cell changes nothing, tags are added, a status stays', async () => {
  const workspace = await api.workspace('Import merge')
  for (const body of [
    {
      email: 'known@example.com',
      firstName: 'Known',
      tags: ['old'],
      fields: { city: 'Rome', size: 'L' },
      double_opt_in: false,
    },
    { email: 'waits@example.com' },
  ]) {
    await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: workspace.key, body })
  }
  const text =
    'email,first name,last name,tags,fields.city\nKNOWN@example.com,,Person,"old;new",Oslo\nwaits@example.com,W,,,\n'
  const { added, updated } = await importText(workspace, text)
  assert.deepEqual([added, updated], [0, 2])
  assert.partialDeepStrictEqual(await subscribersOf(workspace), [
    {
      ...{
        email: 'known@example.com',
        status: 'subscribed',
        firstName: 'Known',
        lastName: 'Person',
      },
      ...{ tags: ['old', 'new'], fields: { city: 'Oslo', size: 'L' } },
    },
    { email: 'waits@example.com', status: 'pending', firstName: 'W' },
  ])
})

/** A file in which each line breaks a rule, and its report. */
const faults: [line: string, reason: string | null][] = [
  ['first@example.com,,', null],
  ['no address,,', 'email.missing_at'],
  ['a@b@example.com,,', 'email.domain_character'],
  ['Ada <ada@example.com>,,', 'email.name'],
  [',Ada,Nobody', 'email.missing'],
  ['FIRST@example.com,,', 'duplicate'],
  ['gone@example.com,,', 'status.unsubscribed'],
  ['bounced@example.com,,', 'suppressed.bounce'],
  ['complained@example.com,,', 'suppressed.complaint'],
  ['manual@example.com,,', 'suppressed.manual'],
  ['platform@example.com,,', 'suppressed.manual'],
  ['"two\nlines@example.com",,', 'email.control_character'],
  ['turned\u202e@example.com,,', 'email.misleading_character'],
  ['b@example.com,"two\nlines",', 'firstName.control_character'],
  [`c@example.com,,${'x'.repeat(121)}`, 'lastName.too_long'],
  [`d@example.com,,${'💌'.repeat(120)}`, null],
  ['e@example.com,,,too,many', 'cells.too_many'],
  ['f@example.com,"x"y,', 'cells.text_after_quote'],
  ['g@example.com', null],
  ['gone@example.com,,', 'status.unsubscribed'],
]

async function withClosed(name: string): Promise<TestWorkspace> {
  const workspace = await api.workspace(name)
  await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: workspace.key,
    body: { email: 'gone@example.com', double_opt_in: false },
  })
  await ask(api.baseUrl, 'DELETE /api/v1/subscribers/gone%40example.com', { key: workspace.key })
  await workspace.suppress('bounced@example.com', 'bounce')
  await workspace.suppress('complained@example.com', 'complaint')
  await workspace.suppress('manual@example.com', 'manual')
  return workspace
}

test('each line that breaks a rule is refused with its reason and its line, and the others are stored', async () => {
  await api.suppressOnPlatform('platform@example.com')
  const workspace = await withClosed('Import faults')
  const { text, expected } = faultyFile()
  const { added, refused } = await importText(workspace, text)
  assert.deepEqual(refused, expected)
  assert.equal(added, faults.filter(([, reason]) => reason === null).length)
  const emails = (await subscribersOf(workspace)).map(({ email }) => email)
  assert.deepEqual(emails, [
    'd@example.com',
    'first@example.com',
    'g@example.com',
    'gone@example.com',
  ])
})

function faultyFile(): { text: string; expected: Record<number, string> } {
  let [line, text] = [2, 'email,firstName,lastName\n']
  const expected: Record<number, string> = {}
  for (const [record, reason] of faults) {
    if (reason !== null) expected[line] = reason
    text += `${record}\n`
    line += record.split('\n').length
  }
  return { text, expected }
}

test('a dry run reports exactly what would become of each line, and stores nothing', async () => {
  const workspace = await withClosed('Import dry')
  const { text, expected } = faultyFile()
  // An address that comes again three batches later.
  const long = `${text}${Array.from({ length: 5_000 }, (_, n) => `p${n}@example.com,,\n`).join('')}first@example.com,,\n`
  const before = await contentsOf(workspace)
  const dry = await importText(workspace, long, { dryRun: true, tags: ['new'] })
  assert.deepEqual(await contentsOf(workspace), before)
  const last = 5_000 + 2 + faults.reduce((lines, [record]) => lines + record.split('\n').length, 0)
  assert.equal(dry.refused[last], 'duplicate')
  const real = await importText(workspace, long)
  assert.deepEqual([dry.added, dry.updated, dry.finished], [real.added, real.updated, true])
  assert.deepEqual(real.refused, { ...expected, [last]: 'duplicate' })
})

async function contentsOf({ id }: TestWorkspace): Promise<unknown> {
  const tables = [
    'subscriber',
    'consent_evidence',
    'subscriber_tag',
    'subscriber_field',
    'subscriber_import',
    'subscriber_import_refusal',
    'subscriber_tally',
  ]
  const counts = []
  for (const table of tables)
    counts.push(
      await db.rows({
        name: table,
        text: `select count(*) from ${table} where workspace_id = $1`,
        values: [id],
      }),
    )
  return counts
}

test('a subscriber to confirm is pending and gets one mail; one who was asked within the hour is not asked again', async () => {
  const workspace = await api.workspace('Import asks')
  await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: workspace.key,
    body: { email: 'asked@example.com' },
  })
  await api.run(`insert into subscriber (workspace_id, id, email, status, created_at, updated_at, confirmation_sent_at)
    values (${workspace.id}, gen_random_uuid(), 'long-ago@example.com', 'pending', facteur_now(), facteur_now(), facteur_now() - interval '2 hours')`)
  const text = 'email\nnew@example.com\nasked@example.com\nlong-ago@example.com\nNEW@example.com\n'
  const { added, updated, refused } = await importText(workspace, text, { consent: null })
  assert.deepEqual(
    { added, updated, refused },
    { added: 1, updated: 2, refused: { 5: 'duplicate' } },
  )
  const mails = await db.rows<{ email: string; mails: number }>(sql`
    select address_key as email, count(*)::int as mails from recipient where workspace_id = ${workspace.id} group by 1 order by 1`)
  assert.deepEqual(mails, [
    { email: 'asked@example.com', mails: 1 },
    { email: 'long-ago@example.com', mails: 1 },
    { email: 'new@example.com', mails: 1 },
  ])
  assert.partialDeepStrictEqual(await subscribersOf(workspace), [
    { status: 'pending' },
    { status: 'pending' },
    { status: 'pending' },
  ])
  assert.partialDeepStrictEqual(await consentsOf(workspace), [
    { email: 'asked@example.com', act: 'asked', source: 'api' },
    { email: 'long-ago@example.com', act: 'asked', source: 'import' },
    { email: 'new@example.com', act: 'asked', source: 'import' },
  ])
})

test('without a sender no confirmation can be sent, and nothing is stored', async () => {
  const workspace = await api.workspace('Import senderless')
  await api.run(`delete from sender where workspace_id = ${workspace.id}`)
  await assert.rejects(
    importText(workspace, 'email\na@example.com\n', { consent: null }),
    /has no sender/,
  )
  assert.deepEqual(await subscribersOf(workspace), [])
})

test('a workspace has at most 100 fields: a file that brings more is refused before anything is stored', async () => {
  const workspace = await api.workspace('Import fields')
  const header = Array.from({ length: 101 }, (_, n) => `fields.f${n}`)
  const text = `email,${header.join(',')}\na@example.com,x\n`
  for (const dryRun of [true, false])
    await assert.rejects(importText(workspace, text, { dryRun }), /at most 100 fields/)
  assert.deepEqual(await subscribersOf(workspace), [])
})

test('the columns: the surest header is the address, a mapping wins, and a refusal names what is missing', async () => {
  const workspace = await api.workspace('Import columns')
  const text = 'Adresse,E-mail,Mail pro\n1 rue X,home@example.com,work@example.com\n'
  await importText(workspace, text)
  await importText(workspace, text, { columnsOf: mapped({ header: 'mail pro', target: 'email' }) })
  assert.deepEqual(
    (await subscribersOf(workspace)).map(({ email }) => email),
    ['home@example.com', 'work@example.com'],
  )
  await assert.rejects(
    importText(workspace, 'a,b\n1,2\n'),
    /No column is known to be the address.*"a", "b"/,
  )
  await assert.rejects(importText(workspace, 'ada@example.com,Ada\n'), /put a line with the names/)
  await assert.rejects(
    importText(workspace, text, { columnsOf: mapped({ header: 'City', target: 'fields.city' }) }),
    /no column "City"/,
  )
  await assert.rejects(importText(workspace, ''), { rule: 'empty' })
})

/** Of 7,000 lines: every tenth address comes twice, every hundredth is none. */
const seven = `email,firstName\n${Array.from({ length: 7_000 }, (_, n) =>
  n % 100 === 50 ? `nobody${n},x\n` : `p${n % 10 === 9 ? n - 5 : n}@example.com,N${n}\n`,
).join('')}`

test('an import that is broken off at any batch goes on where it stopped, and ends as if nothing had been', async () => {
  const straight = await api.workspace('Import straight')
  const expected = await importText(straight, seven)
  for (const dies of [1, 3, 7]) {
    const workspace = await api.workspace(`Import broken ${dies}`)
    let batches = 0
    const failpoints = {
      broken: () => false,
      hit: (name: string) => {
        if (name === 'import.batch' && ++batches === dies) throw new Error('broken off')
        return undefined
      },
    }
    await assert.rejects(importText(workspace, seven, {}, { ...context, failpoints }), /broken off/)
    const after = await importText(workspace, seven)
    assert.equal(after.resumedAt, (dies - 1) * 1_000)
    assert.deepEqual({ ...after, resumedAt: 0, result: null }, { ...expected, result: null })
    assert.deepEqual(await subscribersOf(workspace), await subscribersOf(straight))
    assert.deepEqual(await consentsOf(workspace), await consentsOf(straight))
  }
})

test('a file is read twice: whole before its first line is stored, and once more to store it', async () => {
  const workspace = await api.workspace('Import read twice')
  const text = `email,status\n${Array.from({ length: 2_500 }, (_, index) => `p${index}@twice.example,active\n`).join('')}`
  let read = 0
  const { added } = await importText(workspace, text, {
    async *open() {
      for (let at = 0; at < text.length; at += 10_000) {
        const piece = Buffer.from(text.slice(at, at + 10_000))
        read += piece.length
        yield piece
      }
    },
  })
  assert.deepEqual([added, read], [2_500, 2 * text.length])
})

test('a stop lets the batch under way end; the same file resumes, and a completed one starts again', async () => {
  const workspace = await api.workspace('Import stopped')
  const stopping = new AbortController()
  const stopped = await importText(workspace, seven, {
    signal: stopping.signal,
    onProgress: ({ state }) => {
      if (state.recordsDone > 0) stopping.abort()
    },
  })
  assert.deepEqual([stopped.finished, stopped.refused], [false, {}])
  // Other words of consent are another import: it begins at the first line.
  assert.equal((await importText(workspace, seven, { consent: 'Other words' })).resumedAt, 0)
  const again = await importText(workspace, seven)
  assert.ok(again.resumedAt > 0 && again.finished)
  const anew = await importText(workspace, seven)
  assert.deepEqual([anew.resumedAt, anew.added], [0, 0])
})

test('of two imports of one file at the same time one goes on, and nothing is stored or counted twice', async () => {
  const workspace = await api.workspace('Import twice')
  const both = await Promise.allSettled([
    importText(workspace, seven),
    importText(workspace, seven),
  ])
  const failed = both.filter(({ status }) => status === 'rejected')
  assert.ok(failed.length <= 1)
  for (const each of failed)
    assert.match(String('reason' in each && each.reason), /Another process imports the same file/)
  const [evidence] = await db.rows<{ rows: number; contacts: number }>(sql`
    select count(*)::int as rows, count(distinct email)::int as contacts from consent_evidence where workspace_id = ${workspace.id}`)
  assert.equal(evidence?.rows, evidence?.contacts)
  assert.deepEqual(
    await db.rows(
      sql`select sum(change)::int as sum from subscriber_tally where workspace_id = ${workspace.id}`,
    ),
    [{ sum: evidence?.contacts }],
  )
})

test('a contact who unsubscribes while the file is read is not subscribed by it, whichever is first', async () => {
  const workspace = await api.workspace('Import race')
  const closing: Promise<unknown>[] = []
  await importText(workspace, seven, {
    onProgress: ({ state: { recordsDone } }) => {
      if (recordsDone === 0) return
      for (const n of [recordsDone - 2, recordsDone + 3])
        closing.push(workspace.suppress(`p${n}@example.com`, 'manual'))
    },
  })
  await Promise.all(closing)
  const both = sql`select s.email from subscriber s join suppression x on x.workspace_id = s.workspace_id and x.email = s.email
    where s.workspace_id = ${workspace.id} and s.status in ('pending', 'subscribed')`
  assert.deepEqual(await db.rows(both), [])
})

test('refused lines of an import are deleted after thirty days, and the import with them', async () => {
  const workspace = await api.workspace('Import old')
  await importText(workspace, 'email\nnobody\nada@example.com\n')
  await api.run(
    `update subscriber_import set started_at = started_at - interval '31 days' where workspace_id = ${workspace.id}`,
  )
  await importText(workspace, 'email\nnobody else\n')
  await cleanUp(api.service, new AbortController().signal)
  assert.deepEqual(
    await db.rows(
      sql`select email from subscriber_import_refusal where workspace_id = ${workspace.id}`,
    ),
    [{ email: 'nobody else' }],
  )
  assert.equal(
    await db.count(sql`select 1 from subscriber_import where workspace_id = ${workspace.id}`),
    1,
  )
  assert.equal((await subscribersOf(workspace)).length, 1)
})
