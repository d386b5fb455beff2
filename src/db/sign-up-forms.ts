/** The forms by which people sign up with a workspace. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

/** What a form asks beside the address. `field` is `firstName`, `lastName` or `fields.<key>`; `label` null is ours. */
export interface FormAsk {
  field: string
  label: string | null
}

export interface SignUpFormRow {
  id: string
  name: string
  intro: string | null
  consent: string | null
  asks: FormAsk[]
  tags: string[]
  enabled: boolean
  createdAt: Date
}

/** A form as its visitors meet it: with whose it is, and the database's time. */
export type ShownForm = SignUpFormRow & {
  workspaceName: string
  language: 'fr' | 'en' | null
  nowMs: number
}

export async function insertSignUpForm(
  db: Database,
  workspaceId: number,
  form: Omit<SignUpFormRow, 'enabled' | 'createdAt'>,
): Promise<SignUpFormRow> {
  const [row] = await db.rows<SignUpFormRow>(sql`
    insert into sign_up_form (workspace_id, id, name, intro, consent, asks, tags, created_at)
    values (${workspaceId}, ${form.id}, ${form.name}, ${form.intro}, ${form.consent}, ${JSON.stringify(form.asks)}, ${form.tags},
            date_trunc('milliseconds', facteur_now()))
    returning id, name, intro, consent, asks, tags, enabled, created_at as "createdAt"`)
  if (!row) throw new Error('An insert answered no row')
  return row
}

/** The forms of a workspace, oldest first. */
export function signUpFormsOf(db: Database, workspaceId: number): Promise<SignUpFormRow[]> {
  return db.rows<SignUpFormRow>(sql`
    select id, name, intro, consent, asks, tags, enabled, created_at as "createdAt" from sign_up_form
    where workspace_id = ${workspaceId} order by id`)
}

/** A form with what its page needs to know; null when there is none. */
export async function shownForm(db: Database, workspaceId: number, id: string): Promise<ShownForm | null> {
  const [row] = await db.rows<ShownForm>(sql`
    select f.id, f.name, f.intro, f.consent, f.asks, f.tags, f.enabled, f.created_at as "createdAt", w.name as "workspaceName", w.language,
      floor(extract(epoch from facteur_now()) * 1000)::bigint as "nowMs"
    from sign_up_form f join workspace w on w.id = f.workspace_id
    where f.workspace_id = ${workspaceId} and f.id = ${id}`)
  return row ?? null
}

/** The form by which somebody can sign up again; null when the workspace has none that is open. */
export async function openFormOf(db: Database, workspaceId: number): Promise<string | null> {
  const [row] = await db.rows<{ id: string }>(sql`
    select id from sign_up_form where workspace_id = ${workspaceId} and enabled order by id limit 1`)
  return row?.id ?? null
}

/** Opens or closes a form; null when there is none. */
export async function setFormEnabled(
  db: Database,
  workspaceId: number,
  id: string,
  enabled: boolean,
): Promise<SignUpFormRow | null> {
  const [row] = await db.rows<SignUpFormRow>(sql`
    update sign_up_form set enabled = ${enabled} where workspace_id = ${workspaceId} and id = ${id}
    returning id, name, intro, consent, asks, tags, enabled, created_at as "createdAt"`)
  return row ?? null
}
