/**
 * The suppression list in the pages: removal by hand with a reason, and imports with a report,
 * neither by a key nor by others.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, utimes } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AnswerOf } from '../../src/contract/operations.ts'
import { eraseContact } from '../../src/core/audience/contacts/erase-contact.ts'
import { sql } from '../../src/database/client/sql.ts'
import { deleteOldImports } from '../../src/db/audience/subscriber-imports.ts'
import { insertSuppressionImport } from '../../src/db/files/suppression-imports.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { service } = api
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const editor = await signIn(api, { email: 'ada@people.test', in: { [shop.id]: 'editor' } })
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
const at = '/workspaces/shop/api/v1/suppression'

const entries = async (email: string): Promise<AnswerOf<'listSuppression'>['body']['data']> =>
  (
    (await viewer.ask(`GET ${at}?email=${encodeURIComponent(email)}`))
      .body as AnswerOf<'listSuppression'>['body']
  ).data

const acts = () =>
  service.db.rows<{ act: string; who: string; subject: string; details: object }>(sql`
    select act, who, subject, details from audit_log where workspace_id = ${shop.id} order by id`)

test('a removed suppression lets mail pass again, and the audit log has its user and reason', async () => {
  await editor.ask(`POST ${at}`, { body: { email: 'Closed@example.com', reason: 'complaint' } })
  assert.partialDeepStrictEqual(await entries('closed@example.com'), [
    { reason: 'complaint', scope: 'organization' },
  ])
  const done = await editor.ask(`POST ${at}/lift`, {
    body: { email: 'closed@example.com', reason: ' A mistake of ours ' },
  })
  assertAnswered(done, 200, {
    email: 'closed@example.com',
    was: 'complaint',
    suppressed_by_platform: false,
  })
  assert.deepEqual(await entries('closed@example.com'), [])
  const mail = {
    from: 'hello@shop.test',
    to: 'closed@example.com',
    subject: 'Hello',
    text: 'Hello',
  }
  assert.equal(
    (await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: mail })).status,
    202,
  )
  assert.partialDeepStrictEqual(await acts(), [
    { act: 'suppression.added', who: 'ada@people.test', subject: 'closed@example.com' },
    {
      act: 'suppression.lifted',
      who: 'ada@people.test',
      subject: 'closed@example.com',
      details: { reason: 'A mistake of ours', was: 'complaint' },
    },
  ])
})

test('an entry of the whole platform is shown and stays: the workspace takes off its own alone', async () => {
  await api.suppressOnPlatform('both@example.com')
  await editor.ask(`POST ${at}`, { body: { email: 'both@example.com' } })
  assert.deepEqual(
    (await entries('both@example.com')).map(({ scope }) => scope),
    ['organization', 'platform'],
  )
  const lift = () =>
    editor.ask(`POST ${at}/lift`, { body: { email: 'both@example.com', reason: 'asked for it' } })
  assertAnswered(await lift(), 200, { suppressed_by_platform: true })
  assertRefused(await lift(), 'not_found')
  assert.deepEqual(
    (await entries('both@example.com')).map(({ scope }) => scope),
    ['platform'],
  )
})

test('refused without a reason, to a viewer, to a user who signed in long ago, and to another workspace', async () => {
  await editor.ask(`POST ${at}`, { body: { email: 'kept@example.com' } })
  const body = { email: 'kept@example.com', reason: 'asked for it' }
  assertRefused(
    await editor.ask(`POST ${at}/lift`, { body: { email: 'kept@example.com' } }),
    'validation_error',
  )
  assertRefused(
    await editor.ask(`POST ${at}/lift`, { body: { ...body, reason: '   x   ' } }),
    'validation_error',
  )
  assertRefused(await viewer.ask(`POST ${at}/lift`, { body }), 'insufficient_role')
  assertRefused(await stranger.ask(`POST ${at}/lift`, { body }), 'not_found')
  assertRefused(
    await stranger.ask('POST /workspaces/other/api/v1/suppression/lift', { body }),
    'not_found',
  )
  assert.equal(
    (await ask(api.baseUrl, 'POST /api/v1/suppression/lift', { key: shop.key, body })).status,
    404,
    'no key can',
  )
  await api.moveClock('20 minutes')
  assertRefused(await editor.ask(`POST ${at}/lift`, { body }), 'fresh_sign_in_required')
  await api.moveClock('0 seconds')
  assert.equal((await entries('kept@example.com')).length, 1)
})

const importFile = (raw: string, query = '') =>
  editor.ask(`POST ${at}/imports${query}`, { raw, type: 'text/csv' })

async function finished(id: string): Promise<AnswerOf<'getSuppressionImport'>['body']> {
  const read = async () =>
    (await viewer.ask(`GET ${at}/imports/${id}`)).body as AnswerOf<'getSuppressionImport'>['body']
  return until(read, ({ status }) => status !== 'running')
}

test('a file suppresses its addresses and lists its refused lines; the same file again suppresses nothing more', async () => {
  const file =
    'Adresse;Motif\ngone@example.com;bounce\nnobody;\nleft@example.com;\nother@example.com;weather\n'
  const first = await finished(textAt(await importFile(file, '?reason=unsubscribe'), 'id'))
  assert.partialDeepStrictEqual(first, {
    status: 'finished',
    progress: 1,
    lines: 4,
    added: 2,
    known: 0,
    refused: 2,
  })
  assert.deepEqual(
    first.refusals.map(({ line, email }) => [line, email]),
    [
      [3, 'nobody'],
      [5, 'other@example.com'],
    ],
  )
  assert.partialDeepStrictEqual(await entries('gone@example.com'), [{ reason: 'bounce' }])
  assert.partialDeepStrictEqual(await entries('left@example.com'), [{ reason: 'unsubscribe' }])
  assert.partialDeepStrictEqual(await finished(textAt(await importFile(file), 'id')), {
    added: 0,
    known: 2,
    refused: 2,
  })
  assert.deepEqual((await acts()).at(-1)?.details, { added: 0, known: 2, refused: 2 })
  const { data } = (await viewer.ask(`GET ${at}/imports`))
    .body as AnswerOf<'listSuppressionImports'>['body']
  assert.equal(data.length, 2)
})

test('of the reason that a file says and the one that is there, the stronger stays', async () => {
  for (const [email, reason] of [
    ['weaker@example.com', 'complaint'],
    ['stronger@example.com', 'manual'],
  ])
    assertAnswered(await editor.ask(`POST ${at}`, { body: { email, reason } }), 201)
  const file = 'email,reason\nweaker@example.com,bounce\nstronger@example.com,bounce\n'
  assert.partialDeepStrictEqual(await finished(textAt(await importFile(file), 'id')), {
    added: 0,
    known: 2,
    refused: 0,
  })
  assert.partialDeepStrictEqual(await entries('weaker@example.com'), [{ reason: 'complaint' }])
  assert.partialDeepStrictEqual(await entries('stronger@example.com'), [{ reason: 'bounce' }])
})

test('a file that cannot be read says why, and no other workspace may see it', async () => {
  const id = textAt(await importFile('name\nCamille\n'), 'id')
  assert.partialDeepStrictEqual(await finished(id), {
    status: 'failed',
    failure: 'no_address_column',
  })
  assert.partialDeepStrictEqual(await finished(textAt(await importFile(''), 'id')), {
    status: 'failed',
    failure: 'csv_empty',
  })
  assertRefused(
    await stranger.ask(`GET /workspaces/other/api/v1/suppression/imports/${id}`),
    'not_found',
  )
  assertRefused(
    await viewer.ask(`POST ${at}/imports`, { raw: 'email\n', type: 'text/csv' }),
    'insufficient_role',
  )
})

test('one file at a time, and files left behind go', async () => {
  const left = await mkdtemp(join(tmpdir(), 'facteur-suppression-'))
  await utimes(left, 0, 0)
  const id = service.makeId()
  const begin = () => service.db.transaction((tx) => insertSuppressionImport(tx, shop.id, id))
  assert.equal(await begin(), true)
  assertRefused(await importFile('email\nbusy@example.com\n'), 'conflict', { reason: 'running' })
  assert.equal(existsSync(left), false)
  await api.moveClock('61 seconds')
  assert.partialDeepStrictEqual(
    await finished(textAt(await importFile('email\nbusy@example.com\n'), 'id')),
    { added: 1 },
  )
  await api.run(`delete from suppression_file where id = '${id}'`)
  await api.moveClock('0')
})

test("a file takes its workspace's slot before its first byte, and leaves nothing when it breaks off", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'facteur-test-'))
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  t.after(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
  const { hostname, port } = new URL(api.baseUrl)
  const headers = { Cookie: editor.cookie, Origin: api.baseUrl, 'Content-Type': 'text/csv' }
  const slow = request({ hostname, port, method: 'POST', path: `${at}/imports`, headers })
  slow.on('error', () => undefined)
  slow.write('email\nslow@example.com\n')
  const rows = () =>
    service.db.rows<{ seenAt: Date }>(sql`
      select seen_at from suppression_file where workspace_id = ${shop.id} and finished_at is null and seen_at > 'epoch'`)
  await until(async () => (await rows()).length === 1 && readdirSync(folder).length === 1)
  assertRefused(await importFile('email\nquick@example.com\n'), 'conflict', { reason: 'running' })
  assert.equal(readdirSync(folder).length, 1, 'what is refused is not put down')
  slow.destroy()
  await until(async () => (await rows()).length === 0 && readdirSync(folder).length === 0)
  assert.partialDeepStrictEqual(
    await finished(textAt(await importFile('email\nquick@example.com\n'), 'id')),
    { added: 1 },
  )
})

test('every refused line is in a file safe for spreadsheets, and twenty on the page; erased contacts in neither', async () => {
  const many = 1_500
  const lines = Array.from({ length: many }, (_, index) => `=cmd|' /C calc'!A${index}`)
  const id = textAt(
    await importFile(['email,reason', 'Erased@example.com,weather', ...lines, 'nul\0,'].join('\n')),
    'id',
  )
  const { refused, refusals } = await finished(id)
  assert.deepEqual([refused, refusals.length], [many + 2, 20])
  const download = async (language: string): Promise<string> => {
    const url = `${api.baseUrl}${at}/imports/${id}/refusals?language=${language}`
    const response = await fetch(url, { headers: { cookie: editor.cookie } })
    assert.match(
      response.headers.get('content-disposition') ?? '',
      /^attachment; filename="refused-suppression\.csv"/,
    )
    return response.text()
  }
  const records = (await download('fr')).split('\n')
  assert.equal(records.length, many + 4)
  assert.deepEqual(records.slice(0, 3), [
    'email,reason,Motif du refus',
    `Erased@example.com,weather,"le motif n'est ni unsubscribe, ni manual, ni bounce, ni complaint"`,
    "'=cmd|' /C calc'!A0,,ce n'est pas une adresse\u00a0: il n'y a pas de @",
  ])
  assert.equal(
    records.some((record) => /(^|,)"?[=+@-]/.test(record)),
    false,
  )
  await eraseContact(service, { workspaceId: shop.id, email: 'erased@example.com' })
  assert.doesNotMatch(await download('en'), /erased@/)
  assertRefused(
    await stranger.ask(`GET /workspaces/other/api/v1/suppression/imports/${id}/refusals`),
    'not_found',
  )
  assertRefused(await viewer.ask(`GET ${at}/imports/${id}/refusals`), 'insufficient_role')
  const forget = () => deleteOldImports(service.db, shop.id, -1, 1_000)
  for (let gone = await forget(); gone > 0; gone = await forget());
  assert.deepEqual(
    await service.db.rows(
      sql`select 1 from subscriber_import_refusal where workspace_id = ${shop.id}`,
    ),
    [],
  )
  assertRefused(await viewer.ask(`GET ${at}/imports/${id}`), 'not_found')
})

test('a process that stops waits for the file under way, which is shown as interrupted at once', async () => {
  await service.backgroundTasks.end()
  const id = textAt(await importFile('email\nlate@example.com\n'), 'id')
  assert.partialDeepStrictEqual(await finished(id), { status: 'interrupted' })
  await service.backgroundTasks.end()
  assert.deepEqual(await entries('late@example.com'), [])
})
