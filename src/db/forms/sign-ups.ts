/** Sign-ups by form: they wait for a worker, then for the subscriber's confirmation. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { RecipientLanguage } from '../../ground/texts/languages.ts'

export interface SignUpRow {
  id: string
  formId: string
  email: string
  firstName: string | null
  lastName: string | null
  fields: Record<string, string>
  tags: string[]
  /**
   * The form's topics as the visitor chose them, by the names that its page showed. Null means that
   * it asked for none. An older process stored no name.
   */
  topics: { id: string; subscribed: boolean; name?: string }[] | null
  /** The consent text that the subscriber agreed to. */
  shown: string
  ip: string | null
  userAgent: string | null
  /** The language of the form's page. Null if it was not stored. */
  language: RecipientLanguage | null
}

/** Stores a sign-up and marks that there is work: the same statement for every address. */
export async function insertSignUp(
  db: Database,
  workspaceId: number,
  signUp: SignUpRow,
): Promise<void> {
  await db.count(sql`
    with kept as (
      insert into sign_up (workspace_id, id, form_id, email, first_name, last_name, fields, tags, topics,
        shown, ip, user_agent, language, created_at, next_at)
      values (${workspaceId}, ${signUp.id}, ${signUp.formId}, ${signUp.email}, ${signUp.firstName},
        ${signUp.lastName},
              ${JSON.stringify(signUp.fields)}, ${signUp.tags},
        ${signUp.topics && JSON.stringify(signUp.topics)}::jsonb, ${signUp.shown}, ${signUp.ip},
        ${signUp.userAgent}, ${signUp.language}, facteur_now(), facteur_now())
      returning next_at
    )
    insert into due (workspace_id, lane, next_at) select ${workspaceId}, 'sign_up', next_at from kept
    on conflict (workspace_id, lane) do update set next_at = excluded.next_at
    where due.next_at > excluded.next_at`)
}

/** The longest waiting sign-up, locked for the transaction; null when none is due. */
export function takeNextSignUp(tx: Database, workspaceId: number): Promise<SignUpRow | null> {
  return tx.row<SignUpRow>(sql`
    select id, form_id, email, first_name, last_name, fields, tags, topics, shown, ip, user_agent, language
    from sign_up where workspace_id = ${workspaceId} and next_at <= (select facteur_now())
    order by next_at limit 1 for update skip locked`)
}

/** The confirmation mail was admitted: the sign-up waits for the answer. */
export async function awaitConsent(
  tx: Database,
  workspaceId: number,
  id: string,
  consentId: string,
): Promise<void> {
  await tx.count(sql`
    update sign_up
    set next_at = null, consent_id = ${consentId}
    where workspace_id = ${workspaceId} and id = ${id}`)
}

/** Postpones a sign-up that cannot be processed now. */
export async function postponeSignUp(
  tx: Database,
  workspaceId: number,
  id: string,
  seconds: number,
): Promise<void> {
  await tx.count(sql`
    update sign_up
    set next_at = facteur_now() + make_interval(secs => ${seconds}::float8)
    where workspace_id = ${workspaceId} and id = ${id}`)
}

export async function deleteSignUp(tx: Database, workspaceId: number, id: string): Promise<void> {
  await tx.count(sql`delete from sign_up where workspace_id = ${workspaceId} and id = ${id}`)
}

/** Deletes and answers the sign-up of a confirmed request. */
export function takeConfirmedSignUp(
  tx: Database,
  workspaceId: number,
  consentId: string,
): Promise<SignUpRow | null> {
  return tx.row<SignUpRow>(sql`
    delete from sign_up where workspace_id = ${workspaceId} and consent_id = ${consentId}
    returning id, form_id, email, first_name, last_name, fields, tags, topics, shown, ip, user_agent,
      language`)
}

/** Whether a sign-up waits for the answer to this request. */
export async function waitsForConsent(
  db: Database,
  workspaceId: number,
  consentId: string,
): Promise<boolean> {
  const rows = await db.rows(
    sql`select 1 from sign_up where workspace_id = ${workspaceId} and consent_id = ${consentId}`,
  )
  return rows.length > 0
}

/**
 * How many confirmation mails an address got: within a day by any entry point, and by forms since
 * it last confirmed.
 */
export function asksOf(
  tx: Database,
  workspaceId: number,
  email: string,
): Promise<{ inDay: number; unanswered: number }> {
  return tx.onlyRow<{ inDay: number; unanswered: number }>(sql`
    with history as materialized (
      select act, source, at
      from consent_evidence
      where workspace_id = ${workspaceId} and email = ${email} and act in ('asked', 'confirmed')
    )
    select count(*) filter (where at > facteur_now() - interval '24 hours')::int as in_day,
      count(*) filter (where source = 'form'
        and at > coalesce((select max(at) from history where act = 'confirmed'),
        '-infinity'))::int as unanswered
    from history where act = 'asked'`)
}
