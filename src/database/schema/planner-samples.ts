/**
 * Lists the tables whose statistics the planner needs before they have rows, each with the rows
 * that stand for a grown one (planner-statistics.ts).
 *
 * A workspace has thousands of rows of each kind, many of them pending, and a key names one. The
 * rows are of workspace 0, and `planner-statistics.ts` deletes them in the transaction that inserts
 * them.
 */
import type { PlannerSample, PlannerSamples } from '../planner/partition-sample.ts'

/** The `n`-th of the identifiers that samples share. */
const id = (n: string): string =>
  `('00000000-0000-0000-0000-' || lpad((${n})::text, 12, '0'))::uuid`
const now = 'facteur_now()'
/** Each row has a time of its own. */
const at = `${now} + n * interval '1 second'`

const userAccounts = {
  insert: `insert into user_account (id, email) select ${id('n')}, n::text from generate_series(1, 1000) n`,
  table: 'user_account',
}

const ofContacts = {
  rows: 1_000,
  parent: {
    insert: `insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
      select 0, ${id('n')}, n::text, 'subscribed', ${now}, ${now} from generate_series(1, 1000) n`,
    table: 'subscriber',
  },
}

const recipientStates = `(array['pending', 'leased', 'in_doubt', 'settled'])[1 + n % 4]`

const messages: Record<string, PlannerSample> = {
  // More than of the others: the indexes still hold the deleted rows, and must look worth it.
  message: {
    rows: 15_000,
    columns: 'workspace_id, id, head, subject, tags, message_id, created_at, quota_month',
    values: `0, gen_random_uuid(), '{}', '', jsonb_build_object('n', n), n::text, ${at}, '2000-01-01'`,
  },
  recipient: {
    rows: 15_000,
    columns:
      'workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, sent_at, troubles',
    values: `0, gen_random_uuid(), 0, 'to', n::text, n::text,
      (array['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'])[1 + n % 6], ${recipientStates},
      'transactional', ${at}, ${at}, n % 3`,
  },
  message_body: { columns: 'workspace_id, message_id, html', values: `0, gen_random_uuid(), ''` },
  attachment: {
    columns: 'workspace_id, message_id, position, content',
    values: `0, gen_random_uuid(), 0, ''`,
  },
  idempotency_key: {
    columns: 'workspace_id, key, fingerprint, message_ids, created_at',
    values: `0, n::text, '\\x', '{}', ${at}`,
  },
  captured_mail: {
    columns:
      'workspace_id, id, message_id, position, return_path, recipient, raw, captured_at, feedback_kind, feedback_at',
    values: `0, gen_random_uuid(), gen_random_uuid(), 0, '', '', '', ${at}, 'delivered', ${at}`,
  },
  message_search: {
    columns: 'workspace_id, at, message_id, addresses, subject, tags, grams',
    values: `0, ${at}, gen_random_uuid(), n::text, '', '', array[n, 5000 + n % 10, 6000]`,
  },
  deferral: {
    columns: 'workspace_id, mail_id, part, attempt, at',
    values: `0, gen_random_uuid(), '0', 1, ${now}`,
  },
}

const feedback: Record<string, PlannerSample> = {
  feedback: {
    columns: 'workspace_id, source, source_id, message_id, position, kind, received_at',
    values: `0, '', n::text, gen_random_uuid(), 0, 'delivered', ${at}`,
  },
  raw_notice: {
    columns: 'workspace_id, source, id, bytes, size, received_at',
    values: `0, '', n::text, '', 0, ${at}`,
  },
  soft_bounce: { columns: 'workspace_id, email, count, first_at', values: `0, n::text, 1, ${now}` },
  suppression: {
    columns: 'workspace_id, email, id, reason, created_at',
    values: `0, n::text, gen_random_uuid(), 'manual', ${at}`,
  },
  // No address is a number.
  platform_suppression: {
    columns: 'email, id, reason, created_at',
    values: `n::text, gen_random_uuid(), 'manual', ${at}`,
  },
  erased_suppression: {
    columns: 'workspace_id, digest, id, reason, created_at',
    values: `0, sha256(n::text::bytea), gen_random_uuid(), 'manual', ${at}`,
  },
  erased_contact: {
    columns: 'workspace_id, digest, erased_at',
    values: `0, sha256(n::text::bytea), ${now}`,
  },
}

const campaigns: Record<string, PlannerSample> = {
  campaign: {
    rows: 1_000,
    columns: 'workspace_id, id, name, subject, format, source, status, created_at, updated_at',
    values: `0, gen_random_uuid(), '', '', 'text', '{}',
      (array['draft', 'scheduled', 'sending', 'sent', 'archived'])[1 + n % 5], ${now}, ${now}`,
  },
  campaign_run: {
    rows: 1_000,
    columns: 'workspace_id, campaign_id, last_id, opens_at, recipients, pending',
    values: `0, ${id('n')}, ${id('n')}, ${now}, 0, 0`,
  },
  campaign_recipient: {
    rows: 7_500,
    columns:
      'workspace_id, campaign_id, subscriber_id, email, state, status, leased_until, next_at, unsubscribed_at',
    values: `0, ${id('n % 5')}, gen_random_uuid(), n::text, ${recipientStates},
      (array['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed'])[1 + n % 7], ${now},
      case when n % 3 = 0 then ${now} end, case when n % 11 = 0 then ${now} end`,
  },
  campaign_failure: {
    columns: 'workspace_id, campaign_id, status, subscriber_id',
    values: `0, ${id('n % 5')}, (array['bounced', 'complained', 'failed', 'suppressed'])[1 + n % 4],
      gen_random_uuid()`,
  },
  campaign_tally: {
    columns: 'workspace_id, campaign_id, measure, label, count',
    values: `0, ${id('n % 100')}, 'link', n::text, n`,
  },
  campaign_link: {
    columns: 'workspace_id, campaign_id, position, url',
    values: `0, ${id('n % 500')}, n / 500, ''`,
  },
  // One in ten is of a single message.
  engagement: {
    columns:
      'workspace_id, id, campaign_id, subscriber_id, message_id, recipient_position, kind, visitor, user_agent, at',
    values: `0, gen_random_uuid(), case when n % 10 > 0 then ${id('n % 3')} end,
      case when n % 10 > 0 then gen_random_uuid() end, case when n % 10 = 0 then gen_random_uuid() end, 0,
      case when n % 4 = 0 then 'click' else 'open' end, 'person', '', ${now}`,
  },
}

const subscribers: Record<string, PlannerSample> = {
  subscriber: {
    columns: 'workspace_id, id, email, status, created_at, updated_at',
    values: `0, gen_random_uuid(), n::text,
      (array['pending', 'subscribed', 'unsubscribed', 'bounced', 'complained'])[1 + n % 5], ${now}, ${now}`,
  },
  subscriber_search: {
    columns: 'workspace_id, subscriber_id, haystack, grams, traits',
    values: `0, gen_random_uuid(), n::text, array[n, 5000 + n % 10, 6000], array[n % 50]`,
  },
  subscriber_search_pending: {
    columns: 'workspace_id, subscriber_id',
    values: `0, gen_random_uuid()`,
  },
  subscriber_engagement: {
    columns: 'workspace_id, subscriber_id, received_at',
    values: `0, gen_random_uuid(), ${at}`,
  },
  // Many subscribers share a trait.
  subscriber_trait: {
    columns: 'workspace_id, trait, subscriber_id',
    values: `0, n % 50, gen_random_uuid()`,
  },
  subscriber_tag: { columns: 'workspace_id, name, created_at', values: `0, n::text, ${now}` },
  subscriber_field: { columns: 'workspace_id, key, created_at', values: `0, n::text, ${now}` },
  subscriber_import_refusal: {
    columns: 'workspace_id, import_id, line, reason, email',
    values: `0, ${id('0')}, n, 'duplicate', n::text`,
  },
  consent_evidence: {
    columns: 'workspace_id, id, subscriber_id, email, act, source, message_id, at',
    values: `0, gen_random_uuid(), gen_random_uuid(), n::text, 'asked', 'api', gen_random_uuid(), ${now}`,
  },
  approval_rule: {
    columns: 'workspace_id, operation, above, growth_percent',
    values: `n, 'campaign.send', 0, 5`,
  },
  approval: {
    columns:
      'workspace_id, operation, subject_id, digest, quantity, details, asked_by, asked_by_email, asked_at',
    values: `0, 'campaign.send', gen_random_uuid(), '', 0, '{}', gen_random_uuid(), '', ${now}`,
  },
  topic: {
    columns: 'workspace_id, id, name, by_default, created_at',
    values: `0, ${id('n')}, n::text, true, ${now}`,
  },
  choice_evidence: {
    columns: 'workspace_id, id, subscriber_id, act, shown, source, at',
    values: `0, gen_random_uuid(), ${id('n')}, 'topic_left', '', 'link', ${now}`,
    ...ofContacts,
  },
  topic_choice: {
    columns: 'workspace_id, topic_id, subscriber_id, subscribed, chosen_at',
    values: `0, ${id('n % 20')}, ${id('n')}, n % 10 = 0, ${now}`,
    ...ofContacts,
  },
  subscriber_status_tally: {
    columns: 'workspace_id, status, day, change',
    values: `0, 'subscribed', (${now})::date, 1`,
  },
  bulk_change: {
    columns: 'workspace_id, id, action, state, contacts, user_email, created_at',
    values: `0, gen_random_uuid(), 'tag', 'completed', 1, n::text, ${now}`,
  },
  bulk_change_contact: {
    columns: 'workspace_id, bulk_change_id, subscriber_id',
    values: `0, ${id('n % 8')}, gen_random_uuid()`,
  },
  sign_up: {
    columns: 'workspace_id, id, form_id, email, shown, created_at, next_at, consent_id',
    values: `0, gen_random_uuid(), gen_random_uuid(), n::text, '', ${at},
      case when n % 2 = 0 then ${at} end, case when n % 2 = 1 then gen_random_uuid() end`,
  },
  sign_up_form: {
    columns: 'workspace_id, id, name, created_at',
    values: `0, gen_random_uuid(), n::text, ${at}`,
  },
  sign_up_rate: { columns: 'workspace_id, bucket, since, taken', values: `0, n::text, ${at}, 1` },
}

const webhooks: Record<string, PlannerSample> = {
  event: {
    columns: 'workspace_id, id, place, type, body, created_at',
    values: `0, gen_random_uuid(), -n, 'email.sent', '{}', ${now}`,
  },
  webhook_delivery: {
    columns: 'workspace_id, webhook_id, event_id, type, status, is_leased, next_at, created_at',
    values: `0, ${id('n % 8')}, gen_random_uuid(), 'email.sent',
      case when n % 10 = 0 then 'pending' when n % 50 = 1 then 'failed' else 'delivered' end, n % 20 = 0,
      case when n % 10 = 0 then ${at} end, ${now}`,
  },
}

const users: Record<string, PlannerSample> = {
  user_account: { rows: 1_000, columns: 'id, email', values: `gen_random_uuid(), n::text` },
  user_passkey: {
    rows: 1_000,
    columns: 'id, user_id, name, public_key, counter',
    values: `n::text, ${id('n')}, '', '', 0`,
    parent: userAccounts,
  },
  user_session: {
    rows: 1_000,
    columns:
      'digest, id, user_id, method, ip, user_agent, created_at, seen_at, shown_at, expires_at',
    values: `sha256(n::text::bytea), gen_random_uuid(), ${id('n')}, 'password', '', '', ${now}, ${now}, ${now},
      ${at}`,
    parent: userAccounts,
  },
  user_link: {
    rows: 1_000,
    columns: 'digest, id, purpose, user_id, expires_at',
    values: `sha256(n::text::bytea), gen_random_uuid(), 'reset', ${id('n')}, ${at}`,
    parent: userAccounts,
  },
  user_passkey_challenge: {
    rows: 1_000,
    columns: 'id, challenge, expires_at',
    values: `gen_random_uuid(), n::text, ${at}`,
  },
  sign_in_rate: { rows: 1_000, columns: 'bucket, ends_at, tries', values: `n::text, ${at}, 1` },
}

const all = { ...messages, ...feedback, ...campaigns, ...subscribers, ...webhooks, ...users }

/** By table. */
export const plannerSamples: PlannerSamples = Object.fromEntries(
  Object.entries(all).map(([table, sample]) => [table, { rows: 5_000, ...sample }]),
)
