/** The sign-up forms of workspaces. */
import type { FormColours, FormMail } from '../../contract/workspace/forms.ts'
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { RecipientLanguage } from '../../ground/texts/languages.ts'

/**
 * A field that a form asks beside the address. `field` is `firstName`, `lastName` or
 * `fields.<key>`; `label` null is the default one.
 */
export interface FormAsk {
  field: string
  label: string | null
}

export interface SignUpFormRow {
  id: string
  /** The heading of its page. */
  name: string
  intro: string | null
  /** The consent text. Null means the default one. */
  consent: string | null
  asks: FormAsk[]
  tags: string[]
  /** Topics that visitors choose from. */
  topics: string[]
  enabled: boolean
  /** Null means the default colours. */
  colours: FormColours | null
  /** Texts of the confirmation mail; null, of it or in it, is the default. */
  mail: FormMail | null
  /** Of its page and its mail. Null means that of the visitor, else the workspace's. */
  language: RecipientLanguage | null
  /** Of pages that may post to its JSON address, as browsers spell them. */
  origins: string[]
  /** The owner's page after signing up. Null means ours. */
  thanksUrl: string | null
  /** The owner's page after confirming. Null means ours. */
  confirmedUrl: string | null
  createdAt: Date
  updatedAt: Date
}

/** A form for its page: with its workspace, and the database's time. */
export type FormWithWorkspace = SignUpFormRow & {
  workspaceName: string
  workspaceLanguage: RecipientLanguage | null
  nowMs: number
}

const formColumns = fragment`id, name, intro, consent, asks, tags, topics, enabled, colours, mail, language,
      origins, thanks_url, confirmed_url, created_at, coalesce(updated_at, created_at) as updated_at`

export function insertSignUpForm(
  db: Database,
  workspaceId: number,
  form: Omit<SignUpFormRow, 'enabled' | 'createdAt' | 'updatedAt'>,
): Promise<SignUpFormRow> {
  return db.onlyRow<SignUpFormRow>(sql`
    insert into sign_up_form (workspace_id, id, name, intro, consent, asks, tags, topics, colours, mail,
      language, origins, thanks_url, confirmed_url, created_at)
    values (${workspaceId}, ${form.id}, ${form.name}, ${form.intro}, ${form.consent},
      ${JSON.stringify(form.asks)}, ${form.tags}, ${form.topics},
      ${writeJson(form.colours)}, ${writeJson(form.mail)}, ${form.language}, ${form.origins},
      ${form.thanksUrl}, ${form.confirmedUrl}, date_trunc('milliseconds', facteur_now()))
    returning ${formColumns}`)
}

const writeJson = (value: object | null): string | null => value && JSON.stringify(value)

/** Locked for the transaction; null when there is none. */
export function lockSignUpForm(
  tx: Database,
  workspaceId: number,
  id: string,
): Promise<SignUpFormRow | null> {
  return tx.row<SignUpFormRow>(sql`
    select ${formColumns}
    from sign_up_form
    where workspace_id = ${workspaceId} and id = ${id}
    for no key update`)
}

/** All of it but its creation time. */
export async function writeSignUpForm(
  tx: Database,
  workspaceId: number,
  form: SignUpFormRow,
): Promise<void> {
  await tx.count(sql`
    update sign_up_form
    set name = ${form.name}, intro = ${form.intro}, consent = ${form.consent},
      asks = ${JSON.stringify(form.asks)},
      tags = ${form.tags}, topics = ${form.topics}, enabled = ${form.enabled},
      colours = ${writeJson(form.colours)}, mail = ${writeJson(form.mail)},
      language = ${form.language}, origins = ${form.origins},
      thanks_url = ${form.thanksUrl}, confirmed_url = ${form.confirmedUrl},
      updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${form.id}`)
}

export async function deleteSignUpForm(
  tx: Database,
  workspaceId: number,
  id: string,
): Promise<void> {
  await tx.count(sql`delete from sign_up_form where workspace_id = ${workspaceId} and id = ${id}`)
}

/** Texts of a form's mail, and the language that they are in. Null when the form is gone. */
export function mailOfForm(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<Pick<SignUpFormRow, 'mail' | 'language'> | null> {
  return db.row<Pick<SignUpFormRow, 'mail' | 'language'>>(
    sql`select mail, language from sign_up_form where workspace_id = ${workspaceId} and id = ${id}`,
  )
}

/** Where a contact goes after confirming this request. Null means to our page. */
export function confirmedUrlOf(
  db: Database,
  workspaceId: number,
  consentId: string,
): Promise<string | null> {
  return db.value<string>(sql`
    select f.confirmed_url
    from sign_up s
    join sign_up_form f on f.workspace_id = ${workspaceId} and f.id = s.form_id
    where s.workspace_id = ${workspaceId} and s.consent_id = ${consentId}`)
}

/** The forms of a workspace, oldest first. */
export function signUpFormsOf(db: Database, workspaceId: number): Promise<SignUpFormRow[]> {
  return db.rows<SignUpFormRow>(sql`
    select ${formColumns} from sign_up_form where workspace_id = ${workspaceId} order by id`)
}

/** A form with the data of its page; null when there is none. */
export function formWithWorkspace(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<FormWithWorkspace | null> {
  return db.row<FormWithWorkspace>(sql`
    select f.id, f.name, f.intro, f.consent, f.asks, f.tags, f.topics, f.enabled, f.colours, f.mail,
      f.language, f.origins, f.thanks_url, f.confirmed_url, f.created_at,
      coalesce(f.updated_at, f.created_at) as updated_at, w.name as workspace_name,
      w.language as workspace_language,
      floor(extract(epoch from facteur_now()) * 1000)::bigint as now_ms
    from sign_up_form f join workspace w on w.id = f.workspace_id
    where f.workspace_id = ${workspaceId} and f.id = ${id}`)
}

/** The form to subscribe again by; null when the workspace has no open one. */
export function openFormOf(db: Database, workspaceId: number): Promise<string | null> {
  return db.value<string>(sql`
    select id from sign_up_form where workspace_id = ${workspaceId} and enabled order by id limit 1`)
}
