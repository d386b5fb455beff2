/**
 * The data about one contact, and their erasure: afterwards no table of the database has any of it.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freezeRecipients } from '../../src/db/campaigns/campaign-freeze.ts'
import { claimRecipients } from '../../src/db/sending/claims.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { createOperator, insertWaiting } from './facteur.ts'

const api = await startApi()
const { db } = api.service
const operator = createOperator({ DATABASE_URL: api.database.url })

const call = (workspace: TestWorkspace, line: string, body?: unknown) =>
  ask(api.baseUrl, `${line.split(' ')[0]} /api/v1${line.split(' ')[1]}`, {
    key: workspace.key,
    ...(body !== undefined && { body }),
  })

/** A contact who is in every table. */
async function somebody(workspace: TestWorkspace, email: string, name: string): Promise<void> {
  await call(workspace, 'POST /subscribers', {
    email,
    firstName: name,
    fields: { city: `${name} town` },
    double_opt_in: false,
  })
  const from = `hello@${workspace.domain}`
  const alone = await call(workspace, 'POST /emails', {
    from,
    to: `${name} <${email}>`,
    subject: `Dear ${name}`,
    text: `To ${email}`,
    tags: { who: name },
  })
  const shared = await call(workspace, 'POST /emails', {
    from,
    to: [email, 'other@example.com'],
    subject: 'Shared',
    text: 'To both',
    headers: { 'X-For': email },
  })
  await call(workspace, 'POST /emails', {
    from,
    to: email,
    subject: 'Later',
    text: 'x',
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  await workspace.capturedMails(textAt(alone, 'id'), 1)
  await workspace.capturedMails(textAt(shared, 'id'), 2)
  const subscriber = await call(workspace, `GET /subscribers/${encodeURIComponent(email)}`)
  const id = textAt(subscriber, 'id')
  await api.run(`insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)
    values (${workspace.id}, gen_random_uuid(), 'Spring', 'Spring', 'text', '{}', 'sent', facteur_now(), facteur_now())`)
  await api.run(`insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, response, sent_at)
    select workspace_id, id, '${id}', '${email}', 'settled', 'delivered', '250 for ${email}', facteur_now() from campaign where workspace_id = ${workspace.id}`)
  await api.run(`insert into engagement (workspace_id, id, campaign_id, subscriber_id, kind, visitor, user_agent, ip, at)
    select workspace_id, gen_random_uuid(), id, '${id}', 'open', 'person', '${name} browser', '192.0.2.77 of ${name}', facteur_now() from campaign where workspace_id = ${workspace.id}`)
  await api.run(`insert into captured_mail (workspace_id, id, campaign_id, subscriber_id, position, return_path, recipient, raw, captured_at)
    select workspace_id, gen_random_uuid(), id, '${id}', 0, 'b@x.test', '${email}', 'To: ${email}', facteur_now() from campaign where workspace_id = ${workspace.id}`)
  await api.run(`insert into sign_up (workspace_id, id, form_id, email, shown, ip, created_at)
    values (${workspace.id}, gen_random_uuid(), gen_random_uuid(), '${email}', 'I want it', '192.0.2.77 of ${name}', facteur_now())`)
  await api.run(
    `with i as (
      insert into subscriber_import (workspace_id, id, fingerprint, file_name, started_at, finished_at)
      values (${workspace.id}, gen_random_uuid(), '', 'fair.csv', facteur_now(), facteur_now()) returning id)
    insert into subscriber_import_refusal (workspace_id, import_id, line, reason, email) select ${workspace.id}, id, 2, 'duplicate', '${email}' from i`,
  )
}

/** Every row of every table that names one of these texts, as text or as bytes. */
async function tracesOf(...texts: string[]): Promise<string[]> {
  const tables = await db.rows<{ name: string }>(sql`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`)
  const matches: string[] = []
  for (const { name } of tables) {
    for (const text of texts) {
      const pattern = [`%${text}%`, `%${Buffer.from(text).toString('hex')}%`]
      const statement = {
        name: `trace ${name}`,
        text: `select ${name}::text as row from ${name} where ${name}::text ilike any ($1::text[])`,
        values: [pattern],
      }
      for (const { row } of await db.rows<{ row: string }>(statement))
        matches.push(`${name}: ${row}`)
    }
  }
  return matches
}

test('show: the record, consent, messages, campaigns, opens, clicks and suppression of one address', async () => {
  const workspace = await api.workspace('Shown')
  await somebody(workspace, 'shown@example.com', 'Zenobia')
  const line = ['contact', 'show', '--workspace', 'shown', 'Shown@Example.com']
  const contact = await operator.json(line)
  assert.partialDeepStrictEqual(contact, {
    email: 'shown@example.com',
    subscriber: { status: 'subscribed', firstName: 'Zenobia', fields: { city: 'Zenobia town' } },
    suppression: [],
    consents: [{ act: 'registered', source: 'api' }],
    sign_ups: [{ ip: '192.0.2.77 of Zenobia' }],
    import_refusals: [{ file: 'fair.csv', line: 2, reason: 'duplicate' }],
    emails: [
      { subject: 'Later', status: 'queued' },
      { subject: 'Shared', kind: 'to' },
      { subject: 'Dear Zenobia', kind: 'to' },
    ],
    campaigns: [{ name: 'Spring', status: 'delivered', response: '250 for shown@example.com' }],
    requests: [
      {
        kind: 'open',
        visitor: 'person',
        user_agent: 'Zenobia browser',
        ip: '192.0.2.77 of Zenobia',
      },
    ],
  })
  const text = await operator.text(line)
  assert.match(
    text,
    /^Address +shown@example\.com\nSuppressed +no\n\nSubscriber:\n[^]* {2}Status +subscribed\n {2}First name +Zenobia\n[^]* {2}Source +api\n[^]* {2}Fields:\n {4}City +Zenobia town\n/,
  )
  assert.match(
    text,
    /\nRefused by imports:\n {2}AT +FILE +LINE +REASON\n {2}.* fair\.csv +2 +duplicate\n/,
  )
  assert.match(
    text,
    /\nSingle messages:\n.*\n {2}\S+ \S+ +queued +Later\n[^]*\nCampaigns:\n.*\n {2}.* delivered +Spring\n/,
  )
  await operator.refused(['contact', 'show', '--workspace', 'shown', 'nobody@example.com'], {
    ...{ code: 'not_found', exit: 1 },
    message: /knows nothing about nobody@example\.com/,
  })
})

test('erase: no table holds the contact any more, and others and figures stay', async () => {
  const [workspace, stranger] = [
    await api.workspace('Erased'),
    await api.workspace('Erased elsewhere'),
  ]
  const email = 'erase.me@example.com'
  await somebody(workspace, email, 'Xanthippe')
  await call(stranger, 'POST /subscribers', { email, double_opt_in: false })
  const line = ['contact', 'erase', '--workspace', 'erased', email]
  await operator.refused(line, { code: 'usage', exit: 2, message: /give --yes/ })
  assert.deepEqual(await operator.json([...line, '--yes']), {
    id: email,
    email,
    erased: true,
    kept: null,
  })
  // The other workspace's own.
  await operator.json(['contact', 'erase', '--workspace', 'erased-elsewhere', email, '--yes'])
  assert.deepEqual(await tracesOf(email, 'Xanthippe'), [])
  const counts = await db.rows(sql`
    select (select count(*)::int from recipient where workspace_id = ${workspace.id} and address_key = 'erased@invalid') as recipients,
      (select count(*)::int from campaign_recipient where workspace_id = ${workspace.id} and status = 'delivered') as delivered,
      (select count(*)::int from engagement where workspace_id = ${workspace.id}) as requests,
      (select text from message_body b join message m on m.workspace_id = b.workspace_id and m.id = b.message_id
       where m.workspace_id = ${workspace.id} and m.subject = 'Shared') as shared,
      coalesce((select sum(change)::int from subscriber_tally where workspace_id = ${workspace.id}), 0) as reachable`)
  assert.deepEqual(counts, [
    { recipients: 3, delivered: 1, requests: 1, shared: 'To both', reachable: 0 },
  ])
  const waiting = await db.rows(
    sql`select 1 from recipient where workspace_id = ${workspace.id} and state <> 'settled'`,
  )
  assert.deepEqual(waiting, [], 'what was scheduled for the person does not leave')
  await operator.refused([...line, '--yes'], {
    code: 'not_found',
    exit: 1,
    message: /knows nothing/,
  })
  assert.equal(
    (await call(workspace, 'POST /subscribers', { email, double_opt_in: false })).status,
    201,
  )
})

test('erase: a line that an import refused goes with all of its cells, in whatever spelling the file has the address', async (t) => {
  await api.workspace('Refused lines')
  const folder = await mkdtemp(join(tmpdir(), 'facteur-lines-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'fair.csv')
  const lines = [
    'Only.Here@Example.COM,Berenice,',
    '" Only.Here@example.com ",Berenice,unsubscribed',
    'Ann <only.here@EXAMPLE.com>,Berenice,',
  ]
  await writeFile(
    file,
    ['email,name,status', ...lines, '"only.here@example.com"x,Berenice,'].join('\n'),
  )
  const line = [
    'subscriber',
    'import',
    '--workspace',
    'refused-lines',
    '--consent',
    'They asked',
    file,
  ]
  assert.partialDeepStrictEqual(await operator.json(line), { new: 0, refused: 4 })
  assert.notDeepEqual(await tracesOf('Berenice'), [])
  await operator.json([
    'contact',
    'erase',
    '--workspace',
    'refused-lines',
    'only.here@example.com',
    '--yes',
  ])
  assert.deepEqual(await tracesOf('only.here@', 'Berenice'), [])
})

test('erase: a suppressed address stays suppressed, as a hash that only a holder of the address can compare', async (t) => {
  const workspace = await api.workspace('Hashed')
  const email = 'closed.me@example.com'
  await somebody(workspace, email, 'Hypatia')
  await workspace.suppress(email, 'complaint')
  const erased = await operator.json(['contact', 'erase', '--workspace', 'hashed', email, '--yes'])
  assert.deepEqual(erased, { id: email, email, erased: true, kept: 'complaint' })
  assert.deepEqual(await tracesOf(email, 'Hypatia'), [])

  const refused = { email, reason: 'complaint' }
  assertRefused(
    await call(workspace, 'POST /subscribers', { email, double_opt_in: false }),
    'suppressed_recipient',
    refused,
  )
  assertRefused(
    await call(workspace, 'POST /subscribers', { email: 'Closed.Me@EXAMPLE.com' }),
    'suppressed_recipient',
    refused,
  )
  const mail = { from: `hello@${workspace.domain}`, to: email, subject: 'x', text: 'x' }
  assertRefused(await call(workspace, 'POST /emails', mail), 'suppressed_recipient', refused)
  const folder = await mkdtemp(join(tmpdir(), 'facteur-person-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'people.csv')
  await writeFile(file, `email\n${email}\n`)
  const imported = await operator.json([
    'subscriber',
    'import',
    '--workspace',
    'hashed',
    '--consent',
    'They asked',
    file,
  ])
  assert.partialDeepStrictEqual(imported, { new: 0, reasons: { 'suppressed.complaint': 1 } })
  const list = await call(workspace, 'GET /suppression')
  assert.partialDeepStrictEqual(list.body, {
    data: [{ email: 'erased@invalid', reason: 'complaint', scope: 'organization' }],
  })
  assert.partialDeepStrictEqual(
    await operator.json(['contact', 'show', '--workspace', 'hashed', email]),
    {
      ...{ subscriber: null, emails: [], suppression: [{ reason: 'complaint' }] },
    },
  )
  // Another workspace has its own salt, and is not concerned.
  const other = await api.workspace('Hashed elsewhere')
  assert.equal(
    (await call(other, 'POST /subscribers', { email, double_opt_in: false })).status,
    201,
  )
  const again = await operator.json(['contact', 'erase', '--workspace', 'hashed', email, '--yes'])
  assert.partialDeepStrictEqual(again, { kept: 'complaint' })
  await operator.json(['suppression', 'remove', '--workspace', 'hashed', email])
  assert.equal(
    (await call(workspace, 'POST /subscribers', { email, double_opt_in: false })).status,
    201,
  )
  assert.equal(at(await call(workspace, 'GET /suppression'), 'body', 'data', 'length'), 0)
})

test('erase: a contact whose row is written past every check is neither claimed nor frozen', async () => {
  const workspace = await api.workspace('Behind')
  const email = 'behind@example.com'
  await call(workspace, 'POST /subscribers', { email, double_opt_in: false })
  await workspace.suppress(email, 'complaint')
  await operator.json(['contact', 'erase', '--workspace', 'behind', email, '--yes'])
  await api.run(`insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
    select ${workspace.id}, gen_random_uuid(), e, 'subscribed', facteur_now(), facteur_now() from unnest(array['${email}', 'open@example.com']) e`)
  const campaignId = api.service.makeId()
  const frozen = await db.transaction(async (tx) => {
    await freezeRecipients(tx, { workspaceId: workspace.id, campaignId })
    return tx.rows(
      sql`select email from campaign_recipient where workspace_id = ${workspace.id} and campaign_id = ${campaignId}`,
    )
  })
  assert.deepEqual(frozen, [{ email: 'open@example.com' }])
  await insertWaiting(api.database.url, String(workspace.id), email)
  const claim = { max: 10, bytesMax: 1e9, leaseSeconds: 90 }
  const suppressed = [{ email, reason: 'complaint' }]
  assert.partialDeepStrictEqual(await claimRecipients(db, workspace.id, 'transactional', claim), {
    claimed: [],
    suppressed,
  })
})
