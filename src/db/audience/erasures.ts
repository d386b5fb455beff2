/**
 * Erases a contact: rows only about the contact are deleted, rows that others or statistics need
 * stay without the contact's data. Each function handles one table, in one transaction; `email` is
 * the lower-cased address.
 */
import { fragment, rowList } from '../../database/client/fragment.ts'
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { mailboxOf } from '../workspaces/reputation-counts.ts'

/**
 * The replacement of an erased address. No mail can go there: `invalid` is reserved (RFC 2606 2).
 */
export const erasedAddress = 'erased@invalid'

/** Whether a mail to the contact is being handed over now: its row must stay until then. */
export function isBeingHandedOver(
  db: Database,
  workspaceId: number,
  contact: ErasedContact,
): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select exists (
      select from recipient
      where workspace_id = ${workspaceId} and address_key = ${contact.email} and state = 'leased')
      or exists (
        select from campaign c
        cross join lateral (
          select 1 from campaign_recipient
          where workspace_id = ${workspaceId} and campaign_id = c.id
            and subscriber_id = ${contact.subscriberId}::uuid and state = 'leased') r
        where c.workspace_id = ${workspaceId} and c.status = 'sending') as leased`)
}

export interface ErasedContact {
  email: string
  subscriberId: string | null
}

/** Creates the salt of a workspace's digests, before the first of them. */
export async function makeErasureSalt(tx: Database, workspaceId: number): Promise<void> {
  // 122 random bits: enough that no table made beforehand contains a digest.
  await tx.count(sql`
    with made as materialized (select decode(replace(gen_random_uuid()::text, '-', ''), 'hex') as salt)
    update ${home}workspace
    set erasure_salt = salt
    from made
    where id = ${workspaceId} and erasure_salt is null`)
}

/**
 * Files of subscribers that came before now do not bring the contact back
 * (db/audience/subscriber-imports.ts).
 */
export async function recordErased(
  tx: Database,
  workspaceId: number,
  email: string,
): Promise<void> {
  await tx.count(sql`
    with contact as materialized (
      select facteur_erasure_digest(w.erasure_salt, ${email}) as digest, facteur_now() as at
      from workspace w
      where w.id = ${workspaceId}
    )
    insert into erased_contact (workspace_id, digest, erased_at)
    select ${workspaceId}::bigint, digest, at
    from contact
    on conflict (workspace_id, digest) do update set erased_at = excluded.erased_at`)
}

/** Stores the workspace's suppression as a digest. `keep` false only deletes the entry. */
export async function hashSuppression(
  tx: Database,
  workspaceId: number,
  email: string,
  keep: boolean,
): Promise<void> {
  if (keep) {
    await tx.count(sql`
      with entry as materialized (
        select facteur_erasure_digest(w.erasure_salt, s.email) as digest, s.id, s.reason, s.created_at
        from suppression s join workspace w on w.id = ${workspaceId}
        where s.workspace_id = ${workspaceId} and s.email = ${email}
      )
      insert into erased_suppression (workspace_id, digest, id, reason, created_at)
      select ${workspaceId}::bigint, digest, id, reason, created_at from entry
      on conflict (workspace_id, digest) do nothing`)
  }
  await tx.count(
    sql`delete from suppression where workspace_id = ${workspaceId} and email = ${email}`,
  )
}

/** A message to the contact: its mailboxes, and whether it had no other recipient. */
export interface MessageToErase {
  id: string
  head: unknown
  alone: boolean
}

/**
 * Messages after an identifier, so that a contact of a hundred thousand messages is erased in
 * pages.
 */
export function messagesToErase(
  tx: Database,
  workspaceId: number,
  email: string,
  { after, max }: { after: string; max: number },
): Promise<MessageToErase[]> {
  return tx.rows<MessageToErase>(sql`
    select m.id, m.head, not exists (
        select
        from recipient o
        where o.workspace_id = ${workspaceId} and o.message_id = m.id and o.address_key <> ${email}) as alone
    from (
      select distinct message_id from recipient
      where workspace_id = ${workspaceId} and address_key = ${email} and message_id > ${after}::uuid
      order by message_id limit ${max}
    ) r
    join message m on m.workspace_id = ${workspaceId} and m.id = r.message_id
    order by m.id`)
}

/**
 * Writes mailboxes without the contact; of messages without other recipients, subject, texts and
 * files go too.
 */
export async function rewriteMessages(
  tx: Database,
  workspaceId: number,
  messages: { id: string; head: string; alone: boolean }[],
): Promise<void> {
  const alone = messages.filter((message) => message.alone).map(({ id }) => id)
  await tx.count(sql`
    update message m set head = n.head::json, subject = case when n.alone then '' else m.subject end,
      tags = case when n.alone then null else m.tags end
    from ${rowList(messages, 'n', { uuid: ['id'], text: ['head'], boolean: ['alone'] })}
    where m.workspace_id = ${workspaceId} and m.id = n.id`)
  await tx.count(sql`
    update message_body
    set html = null, text = ''
    where workspace_id = ${workspaceId} and message_id = any (${alone}::uuid[])`)
  await tx.count(
    sql`delete from attachment where workspace_id = ${workspaceId} and message_id = any (${alone}::uuid[])`,
  )
}

/**
 * Deletes captured copies of mail that named the contact, and of campaigns to them. It reads the
 * whole mailbox, which has no index by message.
 */
export async function eraseCaptured(
  tx: Database,
  workspaceId: number,
  { email, subscriberId }: ErasedContact,
): Promise<void> {
  await tx.count(sql`
    delete from captured_mail
    where workspace_id = ${workspaceId} and (
      subscriber_id = ${subscriberId}::uuid
      or message_id in (select message_id
        from recipient
        where workspace_id = ${workspaceId} and address_key = ${email}))`)
}

/**
 * Deletes providers' texts about the contact, with their notices, and detaches opens and clicks:
 * these stay counted, without the contact.
 */
export async function eraseTraces(
  tx: Database,
  workspaceId: number,
  { email, subscriberId }: ErasedContact,
): Promise<void> {
  await tx.count(sql`
    delete from raw_notice w
    using recipient r
      join feedback f on f.workspace_id = ${workspaceId} and f.message_id = r.message_id
        and f.position = r.position
    where r.workspace_id = ${workspaceId} and r.address_key = ${email}
      and w.workspace_id = ${workspaceId} and w.source = f.source and w.id = f.raw_id`)
  await tx.count(sql`
    delete from raw_notice w
    using campaign c
      join feedback f on f.workspace_id = ${workspaceId} and f.campaign_id = c.id
        and f.subscriber_id = ${subscriberId}::uuid
    where c.workspace_id = ${workspaceId} and w.workspace_id = ${workspaceId} and w.source = f.source
      and w.id = f.raw_id`)
  await tx.count(sql`
    update feedback f set detail = null
    from (
      select r.message_id, r.position
      from recipient r
      where r.workspace_id = ${workspaceId} and r.address_key = ${email}
    ) r
    where f.workspace_id = ${workspaceId} and f.message_id = r.message_id and f.position = r.position`)
  await tx.count(sql`
    update feedback f set detail = null from campaign c
    where c.workspace_id = ${workspaceId} and f.workspace_id = ${workspaceId} and f.campaign_id = c.id
      and f.subscriber_id = ${subscriberId}::uuid`)
  await tx.count(sql`
    update engagement v set ip = null, user_agent = ''
    from (
      select r.message_id, r.position
      from recipient r
      where r.workspace_id = ${workspaceId} and r.address_key = ${email}
    ) r
    where v.workspace_id = ${workspaceId} and v.message_id = r.message_id
      and v.recipient_position = r.position`)
  await tx.count(sql`
    update engagement v set ip = null, user_agent = '' from campaign c
    where c.workspace_id = ${workspaceId} and v.workspace_id = ${workspaceId} and v.campaign_id = c.id
      and v.subscriber_id = ${subscriberId}::uuid`)
}

/** Deletes servers' texts about postponed mail to the contact: they may hold the address. */
export async function eraseDeferrals(
  tx: Database,
  workspaceId: number,
  { email, subscriberId }: ErasedContact,
): Promise<void> {
  await tx.count(sql`
    update deferral d set response = null
    from (
      select r.message_id, r.position::text as part
      from recipient r
      where r.workspace_id = ${workspaceId} and r.address_key = ${email}
    ) r
    where d.workspace_id = ${workspaceId} and d.mail_id = r.message_id and d.part = r.part`)
  await tx.count(sql`
    update deferral d set response = null from campaign c
    where c.workspace_id = ${workspaceId} and d.workspace_id = ${workspaceId} and d.mail_id = c.id
      and d.part = ${subscriberId}::uuid::text`)
}

/**
 * The ledger's lines stay with their outcomes, without the address and without texts that may hold
 * it.
 */
export async function eraseFromLedgers(
  tx: Database,
  workspaceId: number,
  { email, subscriberId }: ErasedContact,
): Promise<void> {
  await tx.count(sql`
    update recipient set email = ${erasedAddress}, address_key = ${erasedAddress}, response = null,
      error = case when cause in ('suppressed', 'cancelled') then error
                   when error is not null or state <> 'settled' and status = 'queued' then 'erased' end,
      cause = case when cause in ('suppressed', 'cancelled') then cause
                   when error is not null or state <> 'settled' and status = 'queued' then 'erased' end,
      state = 'settled',
      status = case when state <> 'settled' and status = 'queued' then 'failed' else status end
    where workspace_id = ${workspaceId} and address_key = ${email}`)
  await tx.count(sql`
    update campaign_recipient r set email = ${erasedAddress}, response = null,
      error = case when r.cause in ('suppressed', 'cancelled') then r.error
        when r.error is not null then 'erased' end,
      cause = case when r.cause in ('suppressed', 'cancelled') then r.cause
        when r.error is not null then 'erased' end
    from campaign c
    where c.workspace_id = ${workspaceId} and r.workspace_id = ${workspaceId} and r.campaign_id = c.id
      and r.subscriber_id = ${subscriberId}::uuid`)
}

/** Deletes refused lines with the address of suppression imports. */
export async function eraseSuppressionImports(
  tx: Database,
  workspaceId: number,
  email: string,
): Promise<void> {
  await tx.count(sql`
    update suppression_file i set refusals = coalesce((
      select jsonb_agg(r) from jsonb_array_elements(i.refusals) r where lower(r ->> 'email') <> ${email}),
        '[]')
    where i.workspace_id = ${workspaceId} and exists (
      select from jsonb_array_elements(i.refusals) r where lower(r ->> 'email') = ${email})`)
}

/** A change of a contact who is no subscriber finds nobody then, and ends. */
export async function eraseFromBulkChanges(
  tx: Database,
  workspaceId: number,
  email: string,
): Promise<void> {
  await tx.count(sql`
    update bulk_change
    set parameters = parameters - 'address'
    where workspace_id = ${workspaceId} and parameters ->> 'address' = ${email}`)
}

/**
 * Erases the address from audit entries: changes of its suppression, and exports that searched for
 * it. Entries about the workspace's users keep theirs: users are not recipients. The address is a
 * value of its own or one word of a filter. A user's free text on why it was released goes too, also
 * from the entries of other addresses where the text names this one (many may be released with one
 * text), as do subjects of mails, which may greet the contact. It runs before the ledgers are
 * erased.
 */
export async function eraseFromAudit(
  tx: Database,
  workspaceId: number,
  email: string,
): Promise<void> {
  const word = `(^|[ =])${email.replaceAll(/[^\p{L}\p{N}]/gu, '\\$&')}(?= |$)`
  await tx.count(sql`
    update audit_log set subject = regexp_replace(subject, ${word}, ${`\\1${erasedAddress}`}, 'gi'),
      details = case when act = 'suppression.lifted'
          and (lower(subject) = ${email} or strpos(lower(details ->> 'reason'), ${email}) > 0)
          then details - 'reason'
        else details end
    where workspace_id = ${workspaceId}
      and act = any (array['suppression.added', 'suppression.lifted', 'subscribers.exported',
      'person.exported', 'captured.deleted'])
      and (strpos(lower(subject), ${email}) > 0
        or act = 'suppression.lifted' and strpos(lower(details ->> 'reason'), ${email}) > 0)`)
  await tx.count(sql`
    update audit_log a set subject = ''
    where workspace_id = ${workspaceId} and act in ('message.sent', 'message.sent_again') and subject <> ''
      and exists (
      select from recipient r
      where r.workspace_id = ${workspaceId} and r.address_key = ${email}
        and r.message_id in ((a.details ->> 'message')::uuid, (a.details ->> 'again')::uuid))`)
}

/**
 * Deletes the subscriber, its search index, the evidence of consent, and the address in forms and
 * refused lines of imports.
 */
export async function eraseRecords(
  tx: Database,
  workspaceId: number,
  { email, subscriberId }: ErasedContact,
): Promise<void> {
  // Waits for a worker that writes the contact's search index or dates, so that its rows are seen
  // then.
  await tx.count(
    sql`
      select 1 from subscriber where workspace_id = ${workspaceId} and id = ${subscriberId}::uuid for update`,
  )
  await tx.count(
    sql`
      delete from subscriber_engagement
      where workspace_id = ${workspaceId} and subscriber_id = ${subscriberId}::uuid`,
  )
  await tx.count(
    sql`delete from consent_evidence where workspace_id = ${workspaceId} and email = ${email}`,
  )
  await tx.count(
    sql`
      delete from consent_evidence
      where workspace_id = ${workspaceId} and subscriber_id = ${subscriberId}::uuid`,
  )
  for (const table of [fragment`choice_evidence`, fragment`topic_choice`])
    await tx.count(
      sql`delete from ${table} where workspace_id = ${workspaceId} and subscriber_id = ${subscriberId}::uuid`,
    )
  await tx.count(sql`delete from sign_up where workspace_id = ${workspaceId} and email = ${email}`)
  await tx.count(
    sql`delete from soft_bounce where workspace_id = ${workspaceId} and email = ${email}`,
  )
  await tx.count(
    sql`
      delete from reputation_address
      where workspace_id = ${workspaceId} and email in (${email}, ${mailboxOf(email)})`,
  )
  // A line with a broken quote or a value too many has the address somewhere.
  await tx.count(sql`
    delete from subscriber_import_refusal
    where workspace_id = ${workspaceId} and (email = ${email} or position(${email} in lower(content)) > 0)`)
  await tx.count(sql`
    delete from subscriber_trait t using subscriber_search f
    where f.workspace_id = ${workspaceId} and f.subscriber_id = ${subscriberId}::uuid
      and t.workspace_id = ${workspaceId} and t.trait = any (f.traits) and t.subscriber_id = f.subscriber_id`)
  await tx.count(
    sql`
      delete from subscriber_search
      where workspace_id = ${workspaceId} and subscriber_id = ${subscriberId}::uuid`,
  )
  await tx.count(
    sql`
      delete from subscriber_search_pending
      where workspace_id = ${workspaceId} and subscriber_id = ${subscriberId}::uuid`,
  )
  await tx.count(sql`
    with gone as (
      delete from subscriber
      where workspace_id = ${workspaceId} and id = ${subscriberId}::uuid
      returning status
    )
    insert into subscriber_tally (workspace_id, change)
    select ${workspaceId}, -1
    from gone
    where status = 'subscribed'`)
}
