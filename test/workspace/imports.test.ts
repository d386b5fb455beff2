/**
 * Uploaded files of subscribers: stored in pieces, tried and imported by workers, resumed,
 * reported, and deleted after a day.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { runImport } from '../../src/core/audience/imports/run-import.ts'
import { eraseContact } from '../../src/core/audience/contacts/erase-contact.ts'
import { sql } from '../../src/database/client/sql.ts'
import { claimFile, discardFile, scheduleFile } from '../../src/db/audience/subscriber-files.ts'
import { createImportFiles } from '../../src/entrypoints/workers/import-files.ts'
import { cleanUp } from '../../src/entrypoints/workers/clean-up.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints(), workers: false })
const { service } = api
const acme = await api.workspace('acme')
const here = '/workspaces/acme/api/v1/imports'
const editor = await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'editor' } })
const viewer = await signIn(api, { in: { [acme.id]: 'viewer' } })
const never = new AbortController().signal

const upload = (raw: string | Uint8Array<ArrayBuffer>, name = 'people.csv'): Promise<Answer> =>
  editor.ask(`POST ${here}?name=${encodeURIComponent(name)}`, { raw, type: 'text/csv' })

/** One worker's turn. */
async function work(stopping = never): Promise<void> {
  const file = await claimFile(service.db, acme.id, 60)
  assert.ok(file, 'a file waits')
  await runImport(service, { workspaceId: acme.id, file, stopping })
}

/** The lines of the file of refused lines. */
async function refusalsOf(id: string, language: 'en' | 'fr'): Promise<string[]> {
  const response = await fetch(`${api.baseUrl}${here}/${id}/refusals?language=${language}`, {
    headers: { cookie: editor.cookie },
  })
  assert.match(response.headers.get('content-disposition') ?? '', /refused-/)
  return (await response.text()).split('\n')
}

const plan = {
  targets: ['email', 'firstName', 'fields.town', null],
  tags: ['fair'],
  consent: 'Signed the list at the fair',
}
const csv =
  'Adresse;Prénom;Ville;Note\nada@example.com;Ada;Paris;x\nno address;Bob;;\n=1@example.com;Eve;Rome;\nada@example.com;Again;;\n'

test('a file is stored and its first lines are answered, with a guess of its columns; no subscriber is stored', async () => {
  const stored = await upload(csv)
  assertAnswered(stored, 201, {
    ...{
      name: 'people.csv',
      state: 'kept',
      person: 'ada@example.com',
      has_file: true,
      size: Buffer.byteLength(csv),
    },
    ...{
      headers: ['Adresse', 'Prénom', 'Ville', 'Note'],
      targets: ['email', 'firstName', null, null],
    },
    rows: [
      ['ada@example.com', 'Ada', 'Paris', 'x'],
      ['no address', 'Bob', '', ''],
      ['=1@example.com', 'Eve', 'Rome', ''],
      ['ada@example.com', 'Again', '', ''],
    ],
  })
  assert.deepEqual(
    await service.db.rows(sql`select 1 from subscriber where workspace_id = ${acme.id}`),
    [],
  )
})

test('tried, each line is validated and nothing stored; imported, the counts are equal, and a file has each refusal', async () => {
  const id = textAt(await upload(csv, 'fair 2026.csv'), 'id')
  assertAnswered(await editor.ask(`POST ${here}/${id}/try`, { body: plan }), 202, {
    state: 'trying',
    targets: plan.targets,
  })
  assertRefused(await editor.ask(`POST ${here}/${id}/start`, { body: plan }), 'conflict', {
    reason: 'running',
  })
  await work()
  assert.deepEqual((await refusalsOf(id, 'en')).slice(0, 2), [
    'Adresse;Prénom;Ville;Note;Reason for refusal',
    'no address;Bob;;;not an address: there is no @',
  ])
  const counts = {
    people: 4,
    new: 2,
    updated: 0,
    refused: 2,
    reasons: { 'email.missing_at': 1, duplicate: 1 },
  }
  const tried = await viewer.ask(`GET ${here}/${id}`)
  assertAnswered(tried, 200, {
    ...{ state: 'tried', trial: counts, tags: ['fair'], consent: plan.consent },
    refusals: [
      { line: 3, email: 'no address', reason: 'email.missing_at' },
      { line: 5, reason: 'duplicate' },
    ],
    explanations: { duplicate: { en: 'an earlier line of the file has the same address' } },
  })
  assert.deepEqual(
    await service.db.rows(sql`select 1 from subscriber where workspace_id = ${acme.id}`),
    [],
  )
  assertAnswered(await editor.ask(`POST ${here}/${id}/start`, { body: plan }), 202, {
    state: 'importing',
  })
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, {
    state: 'imported',
    counts,
    has_file: false,
    headers: [],
  })
  const contacts = await service.db.rows(sql`
    select s.email, s.first_name as name, s.tags, s.fields, s.source, c.shown, c.recorded_by as person from subscriber s
    join consent_evidence c on c.workspace_id = s.workspace_id and c.subscriber_id = s.id where s.workspace_id = ${acme.id} order by s.email`)
  const evidence = {
    source: 'import',
    tags: ['fair'],
    shown: plan.consent,
    person: 'ada@example.com',
  }
  assert.deepEqual(contacts, [
    { email: '=1@example.com', name: 'Eve', fields: { town: 'Rome' }, ...evidence },
    { email: 'ada@example.com', name: 'Ada', fields: { town: 'Paris' }, ...evidence },
  ])
  assertRefused(await editor.ask(`POST ${here}/${id}/start`, { body: plan }), 'conflict', {
    reason: 'file_gone',
  })
  assertRefused(await viewer.ask(`GET ${here}/${id}/refusals`), 'insufficient_role')
  assert.deepEqual(await refusalsOf(id, 'fr'), [
    'Adresse;Prénom;Ville;Note;Motif du refus',
    "no address;Bob;;;ce n'est pas une adresse\u00a0: il n'y a pas de @",
    'ada@example.com;Again;;;une ligne précédente du fichier porte la même adresse',
    '',
  ])
  assertAnswered(await viewer.ask(here.replace('/', 'GET /')), 200, {
    data: [{ id, state: 'imported', counts }, { state: 'kept' }],
  })
  const [act] = await service.db.rows<{ who: string }>(sql`
    select who from audit_log where workspace_id = ${acme.id} and act = 'subscribers.imported' and subject = 'fair 2026.csv'`)
  assert.equal(act?.who, 'ada@example.com')
})

test('a contact who was erased after the upload is refused without their address; the record of the erasure goes with the last such file', async () => {
  const ines = 'ines@example.com'
  const body = { targets: ['email'], tags: [], consent: 'They asked' }
  const older = textAt(await upload(`email\n${ines}\nnoor@example.com\n`), 'id')
  const stopped = textAt(await upload(`email\n${ines}\n`, 'stopped.csv'), 'id')
  assert.deepEqual(await eraseContact(service, { workspaceId: acme.id, email: ines }), {
    erased: true,
    kept: null,
  })
  for (const [act, id] of [
    ['try', older],
    ['start', older],
  ] as const) {
    assertAnswered(await editor.ask(`POST ${here}/${id}/${act}`, { body }), 202)
    await work()
    assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, {
      [act === 'try' ? 'trial' : 'counts']: {
        people: 2,
        new: 1,
        refused: 1,
        reasons: { erased: 1 },
      },
      refusals: [{ line: 2, email: 'erased@invalid', reason: 'erased' }],
      explanations: {
        erased: {
          en: 'the contact was erased after this file was uploaded',
          fr: "le contact a été effacé après l'envoi de ce fichier",
        },
      },
    })
  }
  const inThere = (email: string) =>
    service.db.rows(
      sql`select status from subscriber where workspace_id = ${acme.id} and email = ${email}`,
    )
  assert.deepEqual(await inThere(ines), [])
  // A file that comes now was meant to hold them.
  const newer = textAt(await upload(`email\n${ines}\n`, 'newer.csv'), 'id')
  assertAnswered(await editor.ask(`POST ${here}/${newer}/start`, { body }), 202)
  await work()
  assert.deepEqual(await inThere(ines), [{ status: 'subscribed' }])

  const stored = () =>
    service.db.rows(sql`select 1 from erased_contact where workspace_id = ${acme.id}`)
  await api.run(
    `update erased_contact set erased_at = erased_at - interval '25 hours' where workspace_id = ${acme.id}`,
  )
  await api.run(
    `update import_file set created_at = created_at - interval '26 hours', state = 'importing' where id = '${stopped}'`,
  )
  await cleanUp(service, never)
  assert.equal((await stored()).length, 1, 'one that is older is still worked on')
  await api.run(`update import_file set state = 'stopped' where id = '${stopped}'`)
  await cleanUp(service, never)
  assert.equal((await stored()).length, 0)
})

const many = [
  'email',
  ...Array.from({ length: 3_500 }, (_, index) => `many${index}@example.com`),
].join('\n')

test('an import that is interrupted resumes behind its last lines, also in another process; no subscriber comes twice', async () => {
  const id = textAt(await upload(many), 'id')
  const body = { targets: ['email'], tags: [], consent: 'They asked' }
  await editor.ask(`POST ${here}/${id}/start`, { body })
  const ending = new AbortController()
  const hit = (): undefined => {
    ending.abort()
  }
  service.failpoints = { hit, broken: () => false }
  await work(ending.signal)
  service.failpoints = null
  const started = await viewer.ask(`GET ${here}/${id}`)
  assertAnswered(started, 200, { state: 'importing', counts: { people: 1_000 } })
  assertAnswered(await editor.ask(`POST ${here}/${id}/stop`), 202, { state: 'importing' })
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, { state: 'stopped', has_file: true })
  assertRefused(await editor.ask(`POST ${here}/${id}/stop`), 'conflict', { reason: 'not_running' })
  await editor.ask(`POST ${here}/${id}/start`, { body })
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, {
    state: 'imported',
    counts: { people: 3_500, new: 3_500, refused: 0 },
  })
  const lost = textAt(await upload('email\nlate@example.com\n'), 'id')
  await editor.ask(`POST ${here}/${lost}/start`, { body })
  const frozen = (await claimFile(service.db, acme.id, 60)) ?? assert.fail('nothing to claim')
  assert.equal(await claimFile(service.db, acme.id, 60), null, 'who holds it has it alone')
  await api.moveClock('61 seconds')
  await work()
  await runImport(service, { workspaceId: acme.id, file: frozen, stopping: never })
  assertAnswered(await viewer.ask(`GET ${here}/${lost}`), 200, {
    state: 'imported',
    counts: { new: 1, updated: 0 },
  })
  await api.moveClock('0')
})

test('a word of a status that is not known: the import asks what it means, and goes on with the answer', async () => {
  const text = 'email,status\na@words.test,Gold\nb@words.test,Gold\nc@words.test,unsubscribed\n'
  const id = textAt(await upload(text), 'id')
  const body = { targets: ['email', 'status'], tags: [], consent: 'They asked' }
  await editor.ask(`POST ${here}/${id}/start`, { body })
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, {
    ...{ state: 'failed', failure: { rule: 'status_words' }, counts: null, has_file: true },
    unknown_words: [{ column: 'status', word: 'Gold', count: 2 }],
  })
  const wrong = { ...body, status_words: [{ word: 'Gold', meaning: 'member' }] }
  assertRefused(
    await editor.ask(`POST ${here}/${id}/start`, { body: wrong }),
    'validation_error',
    {},
  )
  const answered = { ...body, status_words: [{ word: 'gold', meaning: 'pending' }] }
  await editor.ask(`POST ${here}/${id}/try`, { body: answered })
  await work()
  const counts = { people: 3, new: 2, refused: 1, reasons: { 'file.unsubscribed': 1 } }
  assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, {
    state: 'tried',
    trial: counts,
    unknown_words: [],
  })
  await editor.ask(`POST ${here}/${id}/start`, { body: answered })
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, { state: 'imported', counts })
  const stored = await service.db.rows(
    sql`select email, status from subscriber where email like '%@words.test' order by email`,
  )
  assert.deepEqual(stored, [
    { email: 'a@words.test', status: 'pending' },
    { email: 'b@words.test', status: 'pending' },
  ])
})

test('tags that more than one character may divide: the import asks which does, and goes on with the answer', async () => {
  const id = textAt(
    await upload('email,tags\na@tags.test,vip|beta\nb@tags.test,"x, y"\nc@tags.test,vip|R&D\n'),
    'id',
  )
  const body = { targets: ['email', 'tags'], tags: [], consent: 'They asked' }
  await editor.ask(`POST ${here}/${id}/start`, { body })
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, {
    ...{
      state: 'failed',
      failure: { rule: 'tag_separators' },
      counts: null,
      has_file: true,
      unknown_words: [],
    },
    unknown_separators: [
      { separator: '|', count: 2, example: 'vip|beta' },
      { separator: ',', count: 1, example: 'x, y' },
    ],
  })
  for (const wrong of ['', 'a', '"', ' ', '|/;,+&'])
    assertRefused(
      await editor.ask(`POST ${here}/${id}/try`, { body: { ...body, tag_separators: wrong } }),
      'validation_error',
      {},
    )
  const answered = { ...body, tag_separators: '|,' }
  await editor.ask(`POST ${here}/${id}/start`, { body: answered })
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, {
    state: 'imported',
    tag_separators: '|,',
    unknown_separators: [],
  })
  const stored = await service.db.rows(
    sql`select tags from subscriber where email like '%@tags.test' order by email`,
  )
  assert.deepEqual(stored, [
    { tags: ['vip', 'beta'] },
    { tags: ['x', 'y'] },
    { tags: ['vip', 'R&D'] },
  ])
})

test('refused lines come back as they stood: separator, quotes and empty cells, with the reason in a column of its own', async () => {
  const lines = [
    ...[
      'sep=|',
      '"E-mail"|Name|Note',
      '"no ""one"""|Bob; B|=1+1',
      'x@short.test',
      '"x@short.test"| |"two',
      'lines"',
    ],
    ...['y@long.test|a|b|c', `z@${'z'.repeat(20_000)}.test||`, 'w@whole.test|Wanda|fine', ''],
  ]
  const id = textAt(await upload(lines.join('\r\n')), 'id')
  const columns = { targets: ['email', null, null], tags: [], consent: 'They asked' }
  await editor.ask(`POST ${here}/${id}/start`, { body: columns })
  await work()
  const refused = await refusalsOf(id, 'en')
  const long = `z@${'z'.repeat(20_000)}`.slice(0, limits.addressMax)
  assert.deepEqual(refused, [
    ...['sep=|\r', '"E-mail"|Name|Note|Reason for refusal\r'],
    // A spreadsheet evaluates nothing.
    `"no ""one"""|Bob; B|'=1+1|not an address: name needs quotes\r`,
    ...['"x@short.test"| |"two\r', 'lines"|an earlier line of the file has the same address\r'],
    'y@long.test|a|b|c|there are more cells than columns\r',
    // Of a line that is longer than any list of contacts has, only the address is stored.
    ...[`${long}|||not an address: domain too long\r`, ''],
  ])
  const mended = refused.join('\n').replace('"no ""one"""', 'no-one@short.test')
  const again = textAt(await upload(mended), 'id')
  await editor.ask(`POST ${here}/${again}/start`, {
    body: { ...columns, targets: ['email', null, 'fields.note', null] },
  })
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${again}`), 200, { counts: { people: 4, new: 1 } })
  const stored = await service.db.rows(
    sql`select fields from subscriber where email = 'no-one@short.test'`,
  )
  assert.deepEqual(stored, [{ fields: { note: '=1+1' } }])
})

test('a file whose pieces are deleted is never shown as imported, and one that another process holds loses none', async () => {
  const body = { targets: ['email'], tags: [], consent: 'They asked' }
  const gone = textAt(await upload('email\ngone@example.com\n'), 'id')
  assert.equal(await discardFile(service.db, acme.id, gone), true)
  assert.equal(
    await scheduleFile(service.db, acme.id, {
      id: gone,
      state: 'importing',
      statusWords: [],
      tagSeparators: null,
      ...body,
    }),
    false,
  )
  assertRefused(await viewer.ask(`GET ${here}/${gone}`), 'not_found')
  const short = textAt(await upload(`email\n${'x'.repeat(600_000)}\nlast@example.com\n`), 'id')
  await editor.ask(`POST ${here}/${short}/start`, { body })
  assert.equal(await discardFile(service.db, acme.id, short), false, 'it runs')
  await api.run(`delete from import_file_part where file_id = '${short}' and position > 0`)
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${short}`), 200, {
    state: 'failed',
    failure: { rule: 'internal' },
  })
  assertAnswered(await editor.ask(`DELETE ${here}/${short}`), 200, { discarded: true })
  const twice = textAt(await upload('email\ntwice@example.com\n'), 'id')
  await editor.ask(`POST ${here}/${twice}/start`, { body })
  const frozen = (await claimFile(service.db, acme.id, 60)) ?? assert.fail('nothing to claim')
  await api.moveClock('61 seconds')
  const taken = (await claimFile(service.db, acme.id, 60)) ?? assert.fail('nothing to claim')
  await runImport(service, { workspaceId: acme.id, file: frozen, stopping: never })
  assertAnswered(await viewer.ask(`GET ${here}/${twice}`), 200, {
    state: 'importing',
    has_file: true,
  })
  await runImport(service, { workspaceId: acme.id, file: taken, stopping: never })
  assertAnswered(await viewer.ask(`GET ${here}/${twice}`), 200, {
    state: 'imported',
    has_file: false,
  })
  await api.moveClock('0')
})

test('an import whose process ended between its last line and saying so is not run again', async () => {
  const id = textAt(await upload('email\nnearly@example.com\n'), 'id')
  await editor.ask(`POST ${here}/${id}/start`, {
    body: { targets: ['email'], tags: [], consent: 'They asked' },
  })
  await work()
  await api.run(
    `update import_file set state = 'importing', next_at = facteur_now(), progress = null where id = '${id}'`,
  )
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, {
    state: 'imported',
    counts: { people: 1, new: 1, updated: 0 },
  })
})

test('422 for an import of no text, odd columns, no sender to confirm with; 404 for another workspace', async () => {
  assertRefused(await upload(''), 'validation_error', { reason: 'csv_empty' })
  assertRefused(await upload(new Uint8Array([0x65, 0xe9, 0x0a, 0x41])), 'validation_error', {
    reason: 'csv_not_utf8',
  })
  assert.deepEqual(
    await service.db.rows(sql`select 1 from import_file where state = 'arriving'`),
    [],
    'nothing stays of it',
  )
  const id = textAt(await upload(csv), 'id')
  const start = (targets: (string | null)[], consent: string | null = 'They asked') =>
    editor.ask(`POST ${here}/${id}/start`, { body: { targets, tags: [], consent } })
  assertRefused(await start([null, 'firstName']), 'validation_error', { rule: 'target_email' })
  assertRefused(await start(['email', 'email']), 'validation_error', {
    path: 'targets.1',
    rule: 'target_twice',
  })
  assertRefused(await start(['email', 'fields.Not A Key']), 'validation_error', {
    path: 'targets.1',
    rule: 'target',
  })
  assertRefused(await start(['email'], '     '), 'validation_error', {
    path: 'consent',
    rule: 'minLength',
  })
  await api.run(`update domain set status = 'pending' where workspace_id = ${acme.id}`)
  assertRefused(await start(['email'], null), 'unverified_from_domain')
  await api.run(`update domain set status = 'verified' where workspace_id = ${acme.id}`)
  assertRefused(await viewer.ask(`POST ${here}/${id}/start`, { body: plan }), 'insufficient_role')
  const other = await api.workspace('other')
  const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
  const there = '/workspaces/other/api/v1/imports'
  for (const line of [
    `GET ${there}/${id}`,
    `GET ${there}/${id}/refusals`,
    `POST ${there}/${id}/stop`,
    `DELETE ${there}/${id}`,
  ])
    assertRefused(await stranger.ask(line), 'not_found')
  assertRefused(await stranger.ask(`POST ${there}/${id}/start`, { body: plan }), 'not_found')
})

test('a file that turns out unreadable fails with its line, and may be tried again', async () => {
  const bad = Buffer.concat([
    Buffer.from('email\na@example.com\n'),
    Buffer.alloc(600_000, 'b@example.com\n'),
    Buffer.from([0xff, 0x0a]),
  ])
  const id = textAt(await upload(Uint8Array.from(bad)), 'id')
  const body = { targets: ['email'], tags: [], consent: 'They asked' }
  await editor.ask(`POST ${here}/${id}/try`, { body })
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, {
    state: 'failed',
    failure: { rule: 'not_utf8' },
  })
  assertAnswered(await editor.ask(`POST ${here}/${id}/try`, { body }), 202, { state: 'trying' })
  await work()
  assertAnswered(await editor.ask(`DELETE ${here}/${id}`), 200, { discarded: true })
  assertRefused(await viewer.ask(`GET ${here}/${id}`), 'not_found')
})

test('a trial that is stopped leaves the file as it came', async () => {
  const id = textAt(await upload(many), 'id')
  const body = { targets: ['email'], tags: [], consent: 'They asked' }
  assertAnswered(await editor.ask(`POST ${here}/${id}/try`, { body }), 202, { state: 'trying' })
  assertAnswered(await editor.ask(`POST ${here}/${id}/stop`), 202, { state: 'trying' })
  await work()
  assertAnswered(await viewer.ask(`GET ${here}/${id}`), 200, { state: 'kept', has_file: true })
})

test('a workspace has ten files at most, and unimported ones are deleted after a day', async () => {
  const together = await Promise.all(
    Array.from({ length: 12 }, () => upload('email\nx@example.com\n')),
  )
  assert.ok(together.some(({ status }) => status === 409))
  const [withheld] = await service.db.rows<{ count: number }>(sql`
    select count(distinct file_id) as count from import_file_part where workspace_id = ${acme.id}`)
  assert.equal(withheld?.count, 10)
  // A process that ended while a file came.
  await api.run(`
    update import_file set state = 'arriving' where id in (
      select id from import_file where workspace_id = ${acme.id} and state = 'kept' limit 1)`)
  await api.moveClock('2 hours')
  await cleanUp(service, never)
  assert.deepEqual(
    await service.db.rows(sql`select 1 from import_file where state = 'arriving'`),
    [],
  )
  await api.moveClock('25 hours')
  await cleanUp(service, never)
  const pieces = await service.db.rows(
    sql`select 1 from import_file_part where workspace_id = ${acme.id}`,
  )
  assert.deepEqual(pieces, [])
  const left = await service.db.rows<{ state: string }>(sql`
    select distinct state from import_file where workspace_id = ${acme.id}`)
  assert.deepEqual(left, [{ state: 'imported' }], 'what was imported stays told')
  await api.moveClock('0')
})

test('two files are imported at once, of different workspaces: many files of one delay no other', async () => {
  const turns: number[] = []
  for (const slug of ['many', 'few', 'none']) {
    const workspace = await api.workspace(slug)
    const owner = await signIn(api, { in: { [workspace.id]: 'owner' } })
    turns.push(workspace.id)
    for (const name of slug === 'many' ? ['one', 'two'] : ['one']) {
      const at = `/workspaces/${slug}/api/v1/imports`
      const id = textAt(
        await owner.ask(`POST ${at}?name=${name}`, {
          raw: 'email\nx@example.com\n',
          type: 'text/csv',
        }),
        'id',
      )
      await owner.ask(`POST ${at}/${id}/start`, {
        body: { targets: ['email'], tags: [], consent: 'They asked' },
      })
    }
  }
  const [heavy = 0, few = 0, none = 0] = turns
  const files = createImportFiles(service, new Set())
  const took = await Promise.all(
    [heavy, heavy, few, none].map((id) => files.turn(id, () => undefined)),
  )
  await files.end()
  assert.deepEqual(took, ['more', 'full', 'more', 'full'])
})
