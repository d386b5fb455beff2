/**
 * The hot statements of sending, and a workspace that has 60,000 messages, keys and suppressed
 * addresses.
 */
import { gramsOfMessage, readMessageNeedle } from '../../../src/core/message-index/message-text.ts'
import { capturedEntries } from '../../../src/db/captured/captured-entries.ts'
import { anyCaptured } from '../../../src/db/captured/captured-matches.ts'
import {
  capturedCopiesOf,
  capturedPage,
  markRead,
} from '../../../src/db/captured/captured-mails.ts'
import { capturedMoment } from '../../../src/db/captured/captured-moment.ts'
import {
  admitUnits,
  existingMessages,
  insertAttachments,
} from '../../../src/db/sending/admissions.ts'
import {
  claimRecipients,
  giveUpDoubts,
  isDoubtOverdue,
  messageAttachments,
  messageContents,
  renewLeases,
  releaseLostLeases,
} from '../../../src/db/sending/claims.ts'
import type { Connection } from '../../../src/database/client/connect.ts'
import {
  dueWorkspaces,
  goBehind,
  msUntilDue,
  raiseDue,
  raiseFeedbackDue,
} from '../../../src/db/sending/due.ts'
import {
  assumeMessagesDelivered,
  lockMessageRecipients,
  insertFeedback,
  insertRawNotices,
  updateMessageRecipientStatuses,
} from '../../../src/db/feedback/feedback.ts'
import { deleteExpiredOf } from '../../../src/db/retention/lifetimes.ts'
import { findIdempotencyKey, takeBackRefused } from '../../../src/db/sending/idempotency-keys.ts'
import {
  cancelMessage,
  lockUnstarted,
  messageBody,
  messagesById,
  rescheduleMessage,
} from '../../../src/db/messages/messages.ts'
import type { MessageFilter } from '../../../src/db/messages/message-filter.ts'
import { messagePage } from '../../../src/db/messages/message-list.ts'
import { recordOutcomes } from '../../../src/db/sending/outcomes.ts'
import { lowerRate, storePace, takePermits } from '../../../src/db/sending/provider-rates.ts'
import { countRequests } from '../../../src/db/workspaces/request-rates.ts'
import { countSoftBounces, reachesSoftBounceLimit } from '../../../src/db/feedback/soft-bounces.ts'
import {
  countByReason,
  countMatchingEntries,
  lockSelectedSuppressions,
  suppressionPage,
} from '../../../src/db/suppression/suppression-pages.ts'
import {
  insertSuppressions,
  stopPendingInMessages,
  suppressionById,
  suppressionsOf,
  upsertSuppression,
} from '../../../src/db/suppression/suppressions.ts'
import { accountStatus } from '../../../src/db/workspaces/account-status.ts'
import { firstIdAt } from '../../../src/ground/ids.ts'
import type { Acts, PlannedArea } from '../plans.ts'

const many = 60_000
/** Messages scheduled for later. */
const scheduled = 10_000
/**
 * More than any statement here has reason to read of one table: a window of 5,000 and what an index
 * names.
 */
const readMax = 6_100
const big = [
  'message',
  'message_body',
  'message_search',
  'recipient',
  'suppression',
  'platform_suppression',
  'idempotency_key',
  'captured_mail',
  'feedback',
  'raw_notice',
  'soft_bounce',
  'due',
]

const workspaceId = 1
const timeOf = (number: number): number => Date.UTC(2026, 0, 1) + number * 1000
const idOf = (number: number): string =>
  `${firstIdAt(timeOf(number)).slice(0, 13)}-7000-8000-${String(number).padStart(12, '0')}`
const placeOf = (number: number) => ({
  at: new Date(timeOf(number)).toISOString(),
  id: idOf(number),
})
/** The same identifier of the row `n`, in SQL. */
const idOfRow = `(left(facteur_events_from(timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second')::text, 13) || '-7000-8000-' || lpad(n::text, 12, '0'))::uuid`
const hundred = Array.from({ length: 100 }, (_, index) => index)
const anyFilter: MessageFilter = {
  status: null,
  recipient: null,
  tagName: null,
  tagValue: null,
  tagGrams: [],
  since: null,
  until: null,
}
const tagged = (tag: string) => ({
  ...{ tagName: tag.split(':')[0] ?? null, tagValue: tag.split(':')[1] ?? null },
  tagGrams: readMessageNeedle(workspaceId, { recipient: null, subject: null, tag })?.grams ?? [],
})
const gramsOf = (tags: Record<string, string>): string =>
  `'{${gramsOfMessage(workspaceId, { addresses: [], subject: '', tags }).join()}}'::int[]`
const firstPage = { max: 51, before: null, after: null }

const unit = (number: number) => ({
  idempotency: { key: `new ${number}`, fingerprint: Buffer.from('x') },
  apiKeyId: null,
  messages: [
    {
      id: idOf(900_000 + number),
      fromDomain: 'big.test',
      head: '{}',
      subject: 'x',
      tags: null,
      messageId: 'x@big.test',
      scheduledAt: null,
      html: 'x',
      text: null,
      recipients: [
        {
          kind: 'to' as const,
          email: `new${number}@example.com`,
          key: `new${number}@example.com`,
          inline: number % 2 === 0,
        },
      ],
      attachments: [],
    },
  ],
})

const outcome = (number: number) => ({
  messageId: idOf(many - number),
  position: 0,
  fence: 1,
  event: number % 2 === 0 ? ('sent' as const) : ('bounced' as const),
  error: null,
  response: '250',
  copy: {
    id: idOf(800_000 + number),
    raw: Buffer.from('x'),
    returnPath: 'x@big.test',
    pending: 'delivered',
  },
})

const target = (number: number) => ({ messageId: idOf(many - 5_000 - number), position: 0 })
const news = (number: number) => ({
  ...{
    source: 'test',
    sourceId: String(number),
    message: target(number),
    campaign: null,
    kind: 'complained',
  },
  ...{ bounce: null, code: null, complaint: null, detail: null, at: null, rawId: null },
})
const move = (number: number) => ({
  ...target(number),
  ...{ status: 'complained' as const, error: null, bounce: null, delivers: true, at: null },
})
const softLimit = { inARow: 5, days: 7 }

const leased = hundred.map((number) => ({ messageId: idOf(many - number), position: 0, fence: 1 }))
const rules = {
  repeat: true,
  retryFirstSeconds: 60,
  retryMaxSeconds: 14_400,
  queueLifeSeconds: 172_800,
  pendingSeconds: 1,
  silenceSeconds: 900,
}
const times = { inlineSeconds: 10, leaseSeconds: 90 }

/** Each hot act, as its verb asks for it. */
const acts: Acts = {
  'admit one': (db) => admitUnits(db, workspaceId, [unit(1)], times),
  'admit a hundred': (db) => admitUnits(db, workspaceId, hundred.map(unit), times),
  'find what was admitted': (db) => existingMessages(db, workspaceId, hundred.map(idOf)),
  'keep files': (db) =>
    insertAttachments(db, workspaceId, idOf(5), [
      { filename: 'a', contentType: null, contentId: null, content: Buffer.from('x') },
    ]),
  'read what messages say': (db) => messageContents(db, workspaceId, hundred.map(idOf)),
  'read files': (db) => messageAttachments(db, workspaceId, idOf(5)),
  'claim one': (db) =>
    claimRecipients(db, workspaceId, 'transactional', { max: 1, bytesMax: 1e9, leaseSeconds: 90 }),
  'claim a hundred': (db) =>
    claimRecipients(db, workspaceId, 'transactional', {
      max: 100,
      bytesMax: 1e9,
      leaseSeconds: 90,
    }),
  'renew leases': (db) => renewLeases(db, workspaceId, leased, 90),
  'settle lost leases': (db) => releaseLostLeases(db, workspaceId, 'transactional', rules),
  'look for overdue doubts': (db) => isDoubtOverdue(db, workspaceId, 'transactional'),
  'give up doubts': (db) => giveUpDoubts(db, workspaceId, 'transactional'),
  'raise due': (db) => raiseDue(db, workspaceId, 'transactional'),
  'raise due of news': (db) => raiseFeedbackDue(db, workspaceId, 900),
  'go behind': (db) => goBehind(db, workspaceId, 'transactional'),
  'due workspaces': (db) => dueWorkspaces(db, 'transactional', 50, []),
  'wait until due': (db) => msUntilDue(db, 'transactional', []),
  'record one outcome': (db) => recordOutcomes(db, workspaceId, [outcome(0)], rules),
  'record a hundred outcomes': (db) => recordOutcomes(db, workspaceId, hundred.map(outcome), rules),
  'hold a recipient for its news': (db) => lockMessageRecipients(db, workspaceId, [target(0)]),
  'hold a hundred recipients for their news': (db) =>
    lockMessageRecipients(db, workspaceId, hundred.map(target)),
  'keep a hundred pieces of news': (db) => insertFeedback(db, workspaceId, hundred.map(news)),
  'keep a notice': (db) =>
    insertRawNotices(db, workspaceId, [
      { source: 'test', id: 'x', bytes: Buffer.from('x'), size: 1 },
    ]),
  'move a hundred recipients': (db) =>
    updateMessageRecipientStatuses(db, workspaceId, hundred.map(move)),
  'close addresses that news closes': (db) =>
    insertSuppressions(
      db,
      workspaceId,
      hundred.map((number) => ({
        email: `gone${number}@example.com`,
        reason: 'complaint',
        sourceId: 'x',
      })),
    ),
  'count soft bounces': (db) =>
    countSoftBounces(
      db,
      workspaceId,
      hundred.map((number) => ({ email: `soft${number}@example.com`, handedOverAt: new Date() })),
      softLimit,
    ),
  'count the soft bounces of an address': (db) =>
    reachesSoftBounceLimit(db, workspaceId, 'to7@example.com', softLimit),
  'deliver by silence': (db) =>
    assumeMessagesDelivered(db, workspaceId, {
      silenceSeconds: 900,
      max: 500,
      from: null,
      unsubscribedTypes: [],
    }),
  'count requests': (db) =>
    countRequests(
      db,
      workspaceId,
      [{ digest: Buffer.from('x'), address: null, scope: null, requests: 3 }],
      600,
    ),
  'take places': (db) => takePermits(db, 'smtp-relay', 10, 5),
  'lower a rate': (db) =>
    lowerRate(db, { provider: 'smtp-relay', process: idOf(1), perSecond: 300 }, null),
  'store a pace': (db) =>
    storePace(db, { provider: 'smtp-relay', process: idOf(1), perSecond: 300 }),
  'find a key': (db) => findIdempotencyKey(db, workspaceId, 'key 7'),
  'take back what was refused': (db) =>
    takeBackRefused(db, workspaceId, hundred.map(idOf), 'key 7'),
  'forget old keys': (db) => deleteExpiredOf(db, 'idempotency_key', { workspaceId, max: 5_000 }),
  'look up suppressions': (db) =>
    suppressionsOf(
      db,
      workspaceId,
      hundred.map((number) => `gone${number}@example.com`),
    ),
  'list suppressions': (db) => suppressionPage(db, workspaceId, { max: 101, before: null }),
  suppressionPage: (db) => suppressionPage(db, workspaceId, { max: 51, before: placeOf(1_000) }),
  'list suppressions of a reason': (db) =>
    suppressionPage(db, workspaceId, {
      ...{ max: 101, before: placeOf(1_000) },
      filter: { reason: 'manual', q: null, from: placeOf(10).at },
    }),
  'count suppressions by reason': (db) =>
    countByReason(db, workspaceId, { from: null, to: placeOf(1_000).at, max: 101 }),
  'count suppressions of a text': (db) =>
    countMatchingEntries(db, workspaceId, {
      ...{ before: null, scannedMax: 1_000 },
      filter: { reason: null, q: 'gone', from: null },
    }),
  'lock selected suppressions': (db) =>
    lockSelectedSuppressions(db, workspaceId, hundred.map(idOf)),
  suppressionById: (db) => suppressionById(db, workspaceId, idOf(7)),
  capturedPage: (db) => capturedPage(db, workspaceId, { max: 51, before: placeOf(1_000) }),
  capturedEntries: (db) => capturedEntries(db, { workspaceId, max: 51, before: placeOf(1_000) }),
  capturedMoment: (db) => capturedMoment(db, workspaceId),
  capturedCopiesOf: (db) =>
    capturedCopiesOf(db, workspaceId, [
      { mailId: idOf(7), recipient: 'person7@example.com', sentAt: new Date(placeOf(7).at) },
    ]),
  markRead: (db) => markRead(db, { workspaceId, ids: [idOf(7)], isOperator: false }),
  'list captured mails since a moment': (db) =>
    capturedEntries(db, {
      ...{ workspaceId, max: 51, before: null },
      filter: {
        ...anyCaptured,
        since: {
          from: placeOf(many - 100),
          known: hundred.map((number) => idOf(number).slice(-12)),
        },
      },
    }),
  'list suppressions, deep': (db) =>
    suppressionPage(db, workspaceId, { max: 101, before: placeOf(1_000) }),
  suppress: (db) =>
    upsertSuppression(db, workspaceId, {
      id: idOf(1),
      email: 'gone7@example.com',
      reason: 'manual',
      sourceId: null,
    }),
  'settle what was suppressed': (db) =>
    stopPendingInMessages(db, workspaceId, 'to7@example.com', 'manual'),
  'read messages': (db) => messagesById(db, workspaceId, hundred.map(idOf)),
  'read a body': (db) => messageBody(db, workspaceId, idOf(7)),
  'lock a scheduled message': (db) => lockUnstarted(db, workspaceId, idOf(7)),
  reschedule: (db) => rescheduleMessage(db, workspaceId, idOf(7), placeOf(7).at),
  cancel: (db) => cancelMessage(db, workspaceId, idOf(7)),
  'read the account': (db) => accountStatus(db, workspaceId),
  'list messages': (db) => messagePage(db, workspaceId, anyFilter, firstPage),
  'list messages, deep': (db) =>
    messagePage(db, workspaceId, anyFilter, { ...firstPage, before: placeOf(1_000) }),
  'list messages upwards from deep': (db) =>
    messagePage(db, workspaceId, anyFilter, { ...firstPage, after: placeOf(1_000) }),
  'list messages of an old day': (db) =>
    messagePage(
      db,
      workspaceId,
      { ...anyFilter, since: placeOf(500).at, until: placeOf(1_500).at },
      firstPage,
    ),
  'list messages to an address': (db) =>
    messagePage(db, workspaceId, { ...anyFilter, recipient: 'to7@example.com' }, firstPage),
  'list messages to nobody': (db) =>
    messagePage(db, workspaceId, { ...anyFilter, recipient: 'nobody@example.com' }, firstPage),
  'list messages with a tag': (db) =>
    messagePage(db, workspaceId, { ...anyFilter, ...tagged('order:5000') }, firstPage),
  'list messages with a tag nobody has': (db) =>
    messagePage(db, workspaceId, { ...anyFilter, ...tagged('order:none') }, firstPage),
  'list messages with a seldom name of a tag': (db) =>
    messagePage(db, workspaceId, { ...anyFilter, ...tagged('seldom') }, firstPage),
  'list messages with a name of a tag nobody has': (db) =>
    messagePage(db, workspaceId, { ...anyFilter, ...tagged('none') }, firstPage),
  ...Object.fromEntries(
    (['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'] as const).flatMap(
      (status) => [
        [
          `list messages ${status}`,
          (db: Connection) => messagePage(db, workspaceId, { ...anyFilter, status }, firstPage),
        ],
        [
          `list messages ${status}, deep`,
          (db: Connection) =>
            messagePage(
              db,
              workspaceId,
              { ...anyFilter, status },
              { ...firstPage, before: placeOf(3_000) },
            ),
        ],
      ],
    ),
  ),
}

/** These lists read the scheduled messages: they request them, or come to them first. */
const isOfWaiting = (act: string): boolean =>
  act.startsWith('list messages queued') || act === 'list messages delivered'
const prepare = `
  insert into domain values (1, 'big.test', 'verified', facteur_now(), facteur_now());
  -- For files, which refer to their message.
  insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month) values (1, '${idOf(5)}', '{}', 'x', 'x', facteur_now(), '2026-01-01')`

/**
 * One message a second since 2026: the last hundred under way, thousands before them scheduled for
 * later; a few others wait, are sent without feedback, or failed long ago.
 */
const fill = [
  `insert into message (workspace_id, id, head, subject, tags, message_id, created_at, quota_month)
   select 1, ${idOfRow}, '{}', 'x',
     case when n = 777 then '{"seldom": "x"}' when n % 50 = 0 then jsonb_build_object('order', n::text) end, 'x@big.test',
     timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second', '2026-01-01'
   from generate_series(1, ${many}) n where n <> 5`,
  `insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, fence, attempts, sent_at)
   select 1, ${idOfRow}, 0, 'to', address, address,
     case when n > ${many - 100} or n % 4001 = 0 or later then 'queued' when n % 2003 = 0 then 'bounced' when n % 5003 = 0 then 'complained'
          when n % 2011 = 0 then 'failed' when n % 1009 = 0 then 'sent' else 'delivered' end,
     case when n > ${many - 100} then 'leased' when n % 4001 = 0 or later then 'pending' else 'settled' end,
     'transactional', timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second' + case when n > ${many - 50} then interval '-1 year' when later then interval '9 years' else interval '0' end, 1, 1,
     timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second'
   from generate_series(1, ${many}) n
   cross join lateral (select 'to' || n % 20000 || '@example.com' as address, n between ${many - scheduled - 100} and ${many - 100} as later) x`,
  `insert into message_search (workspace_id, at, message_id, addresses, subject, tags, grams)
   select workspace_id, created_at, id, '', '', '', case when tags ? 'seldom' then ${gramsOf({ seldom: 'x' })}
     when tags ->> 'order' = '5000' then ${gramsOf({ order: '5000' })} else '{}' end || array[1, 10 + right(id::text, 6)::int % 5000]
   from message where workspace_id = 1`,
  `insert into message_search_mark (workspace_id, sure_to) values (1, 'infinity')`,
  `insert into message_body (workspace_id, message_id, text) select workspace_id, id, 'x' from message where id > '${idOf(many - 5_000)}'`,
  `insert into suppression (workspace_id, email, id, reason, created_at)
   select 1, 'gone' || n || '@example.com', ${idOfRow}, case n % 2 when 0 then 'bounce' else 'unsubscribe' end,
     timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second'
   from generate_series(1, ${many}) n`,
  `insert into platform_suppression (email, id, reason, created_at)
   select 'never' || n || '@example.com', gen_random_uuid(), 'manual', facteur_now() from generate_series(1, 50000) n`,
  `insert into idempotency_key (workspace_id, key, fingerprint, message_ids, created_at)
   select 1, 'key ' || n, '\\x00', array[${idOfRow}], facteur_now() from generate_series(1, ${many}) n`,
  `insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at, feedback_at)
   select 1, gen_random_uuid(), ${idOfRow}, 0, 'x', 'x', 'x', facteur_now(),
     case when n % 1000 = 0 then facteur_now() end
   from generate_series(1, 50000) n`,
  `insert into feedback (workspace_id, source, source_id, message_id, position, kind, received_at)
   select 1, 'old', n::text, ${idOfRow}, 0, 'delivered', facteur_now() from generate_series(1, 50000) n`,
  `insert into raw_notice (workspace_id, source, id, bytes, size, received_at)
   select 1, 'old', n::text, '', 0, facteur_now() from generate_series(1, 50000) n`,
  `insert into soft_bounce (workspace_id, email, count, first_at) select 1, 'soft' || n || '@example.com', 1, facteur_now() from generate_series(1, 50000) n`,
  `insert into due values (1, 'transactional', facteur_now()), (1, 'feedback', facteur_now())`,
  // Many workspaces wait for a time to come.
  `insert into due select n, 'transactional', facteur_now() + interval '1 hour' from generate_series(2, 20000) n`,
]

// Fields of every kind of row: the acts read the ones that they need.
const checked = {
  at: new Date(),
  taken: [],
  verified: ['big.test'],
  suspended: false,
  suppressed: [],
  admitted: true,
}
// A file of two bytes whose first statement reads one, so that the statement of a further slice is
// planned too.
const file = { size: 2, content: Buffer.alloc(1) }

export const sending: PlannedArea = {
  acts,
  answer: {
    next: new Date(),
    kind: 'passed',
    passedTo: new Date(),
    granted: 1,
    ...checked,
    ...file,
  },
  rows: many,
  big,
  readMax: (act) => (isOfWaiting(act) ? scheduled : 0) + readMax,
  prepare,
  fill,
}
