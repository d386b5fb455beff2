/**
 * Feedback, opens and a running import that still come for an erased contact do not bring them
 * back.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAuditEntry } from '../../../src/core/audit/record-audit-entry.ts'
import { eraseContact } from '../../../src/core/audience/contacts/erase-contact.ts'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { readColumns } from '../../../src/core/audience/imports/columns/import-columns.ts'
import { importSubscribers } from '../../../src/core/audience/imports/engine/import-subscribers.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { addTrackingRoutes } from '../../../src/entrypoints/pages/tracking/add-tracking-routes.ts'
import { startApi } from '../../support/api.ts'
import { ask, textAt } from '../../support/ask.ts'
import { messagePaths, sentCampaign, tallies, open } from '../../support/tracking-world.ts'
import { newsFrom } from '../../support/feedback.ts'

const api = await startApi({
  workers: false,
  entry: (service) => ({ addRoutes: (server) => addTrackingRoutes(server, service) }),
})
const { service } = api
const { db } = service

const engagementsOf = (workspaceId: number) =>
  db.rows(sql`select kind, user_agent, ip from engagement where workspace_id = ${workspaceId}`)
const feedbackOf = (workspaceId: number) =>
  db.rows(sql`select kind, detail from feedback where workspace_id = ${workspaceId}`)
const closedIn = (workspaceId: number) =>
  db.rows(sql`select email, reason from suppression where workspace_id = ${workspaceId}`)

test('campaign mails bounce, are reported and opened after their readers were erased: counted, without texts, and no address is suppressed', async () => {
  const workspace = await api.workspace('Late campaign')
  const campaign = await sentCampaign(api, workspace, { contacts: 2 })
  const [first = '', second = ''] = campaign.contacts
  for (const index of [1, 2]) {
    assert.deepEqual(
      await eraseContact(service, {
        workspaceId: workspace.id,
        email: `p${index}.${campaign.id}@example.com`,
      }),
      {
        erased: true,
        kept: null,
      },
    )
  }
  const detail = '550 <p@example.com> is no user here'
  await recordFeedback(service, {
    workspaceId: workspace.id,
    feedback: [
      newsFrom({ campaignId: campaign.id, subscriberId: first }, 'bounced', { detail }),
      newsFrom({ campaignId: campaign.id, subscriberId: second }, 'complained', { detail }),
    ],
  })
  await open(api, campaign.pixel(1))
  assert.partialDeepStrictEqual(await tallies(api, workspace, campaign.id), {
    bounced: 1,
    complained: 1,
    opened: 1,
  })
  assert.deepEqual(await closedIn(workspace.id), [])
  assert.deepEqual(await feedbackOf(workspace.id), [
    { kind: 'bounced', detail: null },
    { kind: 'complained', detail: null },
  ])
  assert.deepEqual(await engagementsOf(workspace.id), [{ kind: 'open', userAgent: '', ip: null }])
})

test('a single message bounces and is opened after its recipient was erased: the same', async () => {
  const workspace = await api.workspace('Late message')
  const sent = await ask(api.baseUrl, 'POST /api/v1/emails', {
    key: workspace.key,
    body: { from: `hello@${workspace.domain}`, to: 'gone@example.com', subject: 'x', text: 'x' },
  })
  const messageId = textAt(sent, 'id')
  await api.run(
    `update recipient set attempts = 1, state = 'settled', status = 'sent', sent_at = facteur_now() where workspace_id = ${workspace.id}`,
  )
  assert.deepEqual(
    await eraseContact(service, { workspaceId: workspace.id, email: 'gone@example.com' }),
    {
      erased: true,
      kept: null,
    },
  )
  const detail = '550 <gone@example.com> is no user here'
  await recordFeedback(service, {
    workspaceId: workspace.id,
    feedback: [newsFrom({ messageId, position: 0 }, 'bounced', { detail })],
  })
  await open(api, messagePaths(api, workspace, messageId).pixel)
  assert.deepEqual(await closedIn(workspace.id), [])
  assert.deepEqual(await feedbackOf(workspace.id), [{ kind: 'bounced', detail: null }])
  assert.deepEqual(
    await db.rows(sql`select status, error from recipient where workspace_id = ${workspace.id}`),
    [{ status: 'bounced', error: 'bounced' }],
  )
  assert.deepEqual(await engagementsOf(workspace.id), [{ kind: 'open', userAgent: '', ip: null }])
})

test('the audit log blanks an erased contact in suppressions, searches and resends, and nothing else', async () => {
  const workspace = await api.workspace('Audited')
  const email = 'a.d+a@example.com'
  const [message, again] = [service.makeId(), service.makeId()]
  await api.run(`insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at)
    values (${workspace.id}, '${again}', 0, 'to', '${email}', '${email}', 'sent', 'settled', 'transactional', facteur_now())`)
  const actor = { makeId: service.makeId, workspaceId: workspace.id }
  const acts = [
    ['suppression.added', email, { reason: 'manual' }],
    ['suppression.lifted', email, { reason: 'Ada Deaa asked us to', was: 'manual' }],
    ['subscribers.exported', `status=subscribed q=A.d+a@Example.com tag=vip`, {}],
    ['captured.deleted', `to=${email} subject=code`, {}],
    ['subscribers.exported', `q=x${email}`, {}],
    ['suppression.added', 'aXd+a@example.com', { reason: 'manual' }],
    ['member.joined', email, {}],
    ['message.sent_again', 'Dear Ada Deaa', { message, again }],
    ['message.sent_again', 'Dear others', { message, again: service.makeId() }],
    ['message.sent', 'Your order, Ada', { message: again }],
    ['message.sent', 'Your order', { message }],
    [
      'suppression.lifted',
      'b@example.com',
      { reason: 'For B and A.D+a@example.com', was: 'bounce' },
    ],
    ['suppression.lifted', 'b@example.com', { reason: 'A failure there', was: 'bounce' }],
  ] as const
  for (const [act, subject, details] of acts)
    await recordAuditEntry(db, actor, { act, subject, details })
  assert.deepEqual(await eraseContact(service, { workspaceId: workspace.id, email }), {
    erased: true,
    kept: null,
  })
  const entries = await db.rows<{ subject: string; details: object }>(sql`
    select subject, details from audit_log where workspace_id = ${workspace.id} order by id`)
  assert.deepEqual(
    entries.map(({ subject }) => subject),
    [
      ...['erased@invalid', 'erased@invalid', 'status=subscribed q=erased@invalid tag=vip'],
      ...[
        'to=erased@invalid subject=code',
        `q=x${email}`,
        'aXd+a@example.com',
        email,
        '',
        'Dear others',
        '',
        'Your order',
        'b@example.com',
        'b@example.com',
      ],
    ],
  )
  assert.deepEqual(entries[1]?.details, { was: 'manual' })
  const others = entries.slice(-2).map(({ details }) => details)
  assert.deepEqual(others, [{ was: 'bounce' }, { reason: 'A failure there', was: 'bounce' }])
})

test('a batch of an import that began before the suppression does not bring an erased contact back', async () => {
  const workspace = await api.workspace('Late batch')
  const email = 'closed@example.com'
  const erasures: Promise<unknown>[] = []
  const ended = new AbortController()
  const erase = async (): Promise<void> => {
    erasures.push(
      eraseContact(service, { workspaceId: workspace.id, email }).finally(() => ended.abort()),
    )
    const waits = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while (!ended.signal.aborted && (await db.rows(waits)).length === 0);
  }
  const failpoints = {
    broken: () => false,
    // The subscriber is stored, and the transaction goes on.
    hit: async (name: string) => {
      if (name !== 'import.batch') return
      await workspace.suppress(email, 'complaint')
      await erase()
    },
  }
  const context = {
    ...service,
    failpoints,
    openLinkTokens: () => Promise.resolve(service.linkTokens),
  }
  await importSubscribers(context, {
    workspaceId: workspace.id,
    fileName: 'people.csv',
    columnsOf: (headers) => readColumns(headers, []),
    statusWords: [],
    tagSeparators: null,
    onReading: () => undefined,
    person: null,
    apiKeyId: null,
    tags: [],
    consent: 'They asked',
    since: null,
    dryRun: false,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onRefused: () => Promise.resolve(),
    async *open() {
      yield Buffer.from(`email\n${email}\nother@example.com\n`)
    },
  })
  assert.deepEqual(await Promise.all(erasures), [{ erased: true, kept: 'complaint' }])
  assert.deepEqual(
    await db.rows(sql`select email from subscriber where workspace_id = ${workspace.id}`),
    [{ email: 'other@example.com' }],
  )
})
