/**
 * Lists and figures that read no more of a large workspace than of a small one. The test counts the
 * blocks that the statements of each read, not the time.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { storedPage } from '../../src/core/emails/stored-page.ts'
import { findSingles } from '../../src/core/messages/find-singles.ts'
import { auditPage, endOfExaminedAudit } from '../../src/db/audit/audit-entries.ts'
import { campaignPace } from '../../src/db/campaigns/campaign-pace.ts'
import { findRecipients } from '../../src/db/campaigns/campaign-recipient-pages.ts'
import { connect } from '../../src/database/client/connect.ts'
import { createDatabase, type Database } from '../../src/database/client/database.ts'
import type { MessageFilter } from '../../src/db/messages/message-filter.ts'
import { messagePage } from '../../src/db/messages/message-list.ts'
import { subscriberPage } from '../../src/db/audience/subscriber-search.ts'
import { webhookHealth } from '../../src/db/webhooks/webhook-health.ts'
import { countMailPart } from '../../src/db/workspaces/mail-parts.ts'
import {
  endOfExamined,
  requestPage,
  type RequestFilter,
} from '../../src/db/workspaces/request-log.ts'
import { firstIdAt } from '../../src/ground/ids.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { blocksOf, Session } from '../support/plans.ts'

/** The workspaces have thousands of rows, and twenty times as many. */
const [small, large] = [1, 2]
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const firstId = '00000000-0000-0000-0000-000000000000'

const dayStart = Date.UTC(2026, 0, 10)
const webhookId = '0199aa00-0000-7000-8000-000000000002'
const campaignId = '0199aa00-0000-7000-8000-000000000001'

const anyEmail: MessageFilter = {
  ...{
    status: null,
    recipient: null,
    tagName: null,
    tagValue: null,
    tagGrams: [],
    since: null,
    until: null,
  },
}

const requests = (filter: Partial<RequestFilter>) => async (db: Database, workspaceId: number) => {
  const any = {
    id: null,
    keyId: null,
    operation: null,
    outcome: null,
    code: null,
    requestId: null,
    messageId: null,
    campaignId: null,
    q: null,
  }
  const range = { before: lastId, from: firstId, max: 51, scannedMax: 5_000 }
  await requestPage(db, workspaceId, { ...any, ...filter }, range)
  await endOfExamined(db, workspaceId, { ...any, ...filter }, range)
}
const audit =
  (filter: { act?: 'webhook.deleted'; who?: string }) =>
  async (db: Database, workspaceId: number) => {
    const range = { before: lastId, from: firstId, scannedMax: 1_000 }
    await auditPage(db, workspaceId, { act: null, who: null, ...filter }, { ...range, max: 51 })
    await endOfExaminedAudit(db, workspaceId, range)
  }

const emails = (filter: Partial<MessageFilter>) => (db: Database, workspaceId: number) =>
  messagePage(db, workspaceId, { ...anyEmail, ...filter }, { max: 21, before: null, after: null })

const lists: Record<string, (db: Database, workspaceId: number) => Promise<unknown>> = {
  'acts that hardly occur': audit({ act: 'webhook.deleted' }),
  'acts of nobody': audit({ who: 'nobody' }),
  'requests with a code that does not occur': requests({ code: 'not_found' }),
  'requests of a campaign that made none': requests({ campaignId: lastId }),
  'a look at the results of a day': (db, workspaceId) =>
    countMailPart(db, workspaceId, {
      ...{ day: '2026-01-10', zone: 'UTC' },
      fromId: firstIdAt(dayStart),
      toId: firstIdAt(dayStart + 86_400_000),
      endsAt: new Date(dayStart + 86_400_000),
      isRest: true,
    }),
  'recipients of a campaign who bounced': (db, workspaceId) =>
    findRecipients(
      db,
      { workspaceId, campaignId },
      { after: firstId, scanMax: 200, max: 21, filter: 'bounced' },
    ),
  'emails of an older time': emails({ until: new Date(dayStart + 60_000).toISOString() }),
  'emails newer than a recent one': (db, workspaceId) => {
    const recent = {
      at: new Date(dayStart + (workspaceId === small ? 3_960_000 : 79_960_000)).toISOString(),
      id: firstId,
    }
    return messagePage(db, workspaceId, anyEmail, { max: 21, before: null, after: recent })
  },
  'emails that bounced': emails({ status: 'bounced' }),
  'emails to somebody': emails({ recipient: 'a7' }),
  'the log of messages that bounced': (db, workspaceId) =>
    findSingles(
      { db },
      {
        workspaceId,
        filter: {
          kind: 'single',
          ask: { recipient: null, subject: null, tag: null },
          needle: null,
        },
        page: { status: 'bounced', max: 21, before: null, since: null },
      },
    ),
  'a campaign that is over': (db, workspaceId) =>
    campaignPace(db, { workspaceId, campaignId, isMoving: false }),
  'subscribers who left, where none did': (db, workspaceId) =>
    subscriberPage(db, workspaceId, { status: 'unsubscribed', max: 21, before: null }),
  'the health of webhooks': (db, workspaceId) =>
    webhookHealth(db, workspaceId, { days: 7, max: 1_000, troublesMax: 100 }),
  'requests that failed, when none did': requests({ outcome: 'failed' }),
}

const { url } = await freshDatabase()
await runOn(
  url,
  `insert into plan values ('default', null);
   insert into workspace (id, slug, name, plan, created_at)
   select n, 'size' || n, 'size', 'default', facteur_now() from generate_series(1, 2) n;
   create temporary table row as
   select w, n, facteur_now() - n * interval '1 second' as at,
     (lpad(to_hex((extract(epoch from facteur_now() - n * interval '1 second') * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text || w), 1, 19))::uuid as id
   from (values (1, 2000), (2, 40000)) size (w, rows) cross join generate_series(1, rows) n;
   insert into audit_log (workspace_id, id, who, act, subject, created_at)
   select w, id, 'owner@example.com', 'subscriber.edited', 'x', at from row;
   insert into request_log (workspace_id, id, key_id, operation, mcp, status, code, duration_us, request_id, address, calls)
   select w, id, gen_random_uuid(), 'sendEmail', false, case when n % 2 = 0 then 202 else 422 end,
     case when n % 4 = 1 then 'validation_error' when n % 4 = 3 then 'conflict' end, 1, 'x', '127.0.0.1', 1 from row;
   insert into webhook (workspace_id, id, name, url, host, events, secret, created_at, updated_at)
   select w, '${webhookId}', 'x', 'https://x.example/', 'x.example', '{email.sent}', '', facteur_now(), facteur_now() from generate_series(1, 2) w;
   insert into webhook_delivery (workspace_id, webhook_id, event_id, type, status, attempts, created_at, last_attempt_at, error)
   select w, '${webhookId}', id, 'email.sent', case when n % 15 = 0 then 'failed' else 'delivered' end, 1, at, at,
     case when n % 15 = 0 then 'timeout' end
   from row;
   create temporary table mail as
   select w, n, t.at, (lpad(to_hex((extract(epoch from t.at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text || w), 1, 19))::uuid as id
   from row cross join lateral (select timestamptz '2026-01-10 00:00Z' + n * interval '2 seconds') t (at);
   insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
   select w, id, '{}', 'x', 'x', at, '2026-01-01' from mail;
   insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at)
   select w, id, 0, 'to', 'a' || n % 80, 'a' || n % 80,
     case when n % 80 = 3 then 'bounced' else 'delivered' end, 'settled', 'transactional', at from mail;
   insert into engagement (workspace_id, id, message_id, recipient_position, kind, visitor, user_agent, at)
   select w, id, id, 0, 'open', case when n % 3 = 0 then 'relay' else 'person' end, '', at from mail;
   insert into subscriber (workspace_id, id, email, status, source, created_at, updated_at)
   select w, id, n || '@example.com', 'subscribed', 'import', at, at from mail;
   insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status)
   select w, '${campaignId}', id, 'x', 'settled', 'queued' from mail where n % 20 = 0;
   update campaign_recipient set status = 'bounced';
   insert into campaign_run (workspace_id, campaign_id, claimed_to, last_id, opens_at, recipients, pending, sent, failed, handed_over)
   select w, '${campaignId}', '${lastId}', '${lastId}', facteur_now(), 0, 0, 0, 0, 0 from generate_series(1, 2) w`,
)
await runOn(
  url,
  `vacuum analyze audit_log, request_log, webhook, webhook_delivery, message, recipient, engagement, subscriber, campaign_recipient, campaign_run, campaign_failure`,
)
const session = new Session(url)
const db = connect({ connectionString: url, poolSize: 1 })
after(() => Promise.all([session.end(), db.end()]))
/** The names of the statements that the session has planned. */
const cached = new Set<string>()

for (const [name, read] of Object.entries(lists)) {
  test(`${name}: twenty times as many rows, as many blocks`, async () => {
    const [few, many] = [await blocks(read, small), await blocks(read, large)]
    assert.ok(few > 0)
    assert.ok(many <= 1.5 * few, `${many} blocks, and ${few} of the small workspace`)
  })
}

test('emails that have all expired and are not deleted yet: twenty times as many rows, as many blocks', async () => {
  await runOn(
    url,
    `insert into retention (class, days, changed_at) values ('messages', 31, facteur_now())`,
  )
  const any = { max: 21, before: null, after: null }
  const pages: Record<string, (typeof lists)[string]> = {
    newest: async (counted, workspaceId) => {
      const { rows } = await storedPage(
        { db: counted, workspaceId },
        { filter: anyEmail, page: any },
      )
      assert.deepEqual(rows, [])
    },
    bounced: (counted, workspaceId) =>
      storedPage(
        { db: counted, workspaceId },
        { filter: { ...anyEmail, status: 'bounced' }, page: any },
      ),
    log: lists['the log of messages that bounced'] ?? assert.fail(),
  }
  for (const [name, read] of Object.entries(pages)) {
    const [few, many] = [await blocks(read, small), await blocks(read, large)]
    assert.ok(many <= 1.5 * few, `${name}: ${many} blocks, and ${few} of the small workspace`)
  }
  await runOn(url, 'delete from retention')
})

test('a thousand emails are looked through with fewer than a block each', async () => {
  assert.ok((await blocks(lists['emails that bounced'] ?? assert.fail(), large)) < 1_000)
})

async function blocks(read: (typeof lists)[string], workspaceId: number): Promise<number> {
  let sum = 0
  const counting = createDatabase(async (statement) => {
    // Planned and cached first.
    if (!cached.has(statement.name)) await session.explain(statement)
    cached.add(statement.name)
    sum += blocksOf(await session.explain(statement))
    const rows = await db.rows<object>(statement)
    return { rows, rowCount: rows.length }
  })
  await read(counting, workspaceId)
  return sum
}
