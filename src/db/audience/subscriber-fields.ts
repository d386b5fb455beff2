/** The tags and custom fields of a workspace's subscribers: their first use creates them. */
import type { TypedField } from '../../contract/field-types.ts'
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/**
 * Makes the tags that do not exist yet; in one order everywhere, so that two calls never wait for
 * each other in a circle.
 */
export async function makeTags(tx: Database, workspaceId: number, names: string[]): Promise<void> {
  await tx.count(sql`
    insert into subscriber_tag (workspace_id, name, created_at)
    select ${workspaceId}, t.name, date_trunc('milliseconds', facteur_now())
    from unnest(${names}::text[]) as t (name)
    order by t.name
    on conflict do nothing`)
}

/** Which of these fields a workspace has not defined. */
export function undefinedFields(
  db: Database,
  workspaceId: number,
  keys: string[],
): Promise<string[]> {
  return db.column<string>(sql`
    select t.key from unnest(${keys}::text[]) as t (key)
    where (select f.key
      from subscriber_field f
      where f.workspace_id = ${workspaceId} and f.key = t.key) is null`)
}

/** Keys of the fields that a workspace has defined: a hundred at most. */
export function fieldKeysOf(db: Database, workspaceId: number): Promise<string[]> {
  return db.column<string>(sql`
    select key from subscriber_field where workspace_id = ${workspaceId} order by key`)
}

/**
 * Lets one call at a time define fields in a workspace: they are counted, and there is room for so
 * many only.
 */
export async function lockFields(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(sql`select 1 from workspace where id = ${workspaceId} for no key update`)
}

/** Defines fields and answers how many there are then. */
export async function makeFields(
  tx: Database,
  workspaceId: number,
  keys: string[],
): Promise<number> {
  await tx.count(sql`
    insert into subscriber_field (workspace_id, key, created_at)
    select ${workspaceId}, t.key, date_trunc('milliseconds', facteur_now())
    from unnest(${keys}::text[]) as t (key)
    order by t.key
    on conflict do nothing`)
  return tx.onlyValue<number>(sql`
    select count(*) as count from subscriber_field where workspace_id = ${workspaceId}`)
}

export interface FieldRow extends TypedField {
  id: string
  label: string | null
  createdAt: Date
}

/**
 * Each field has its identifier since migration 0121; a constraint that says so would read the
 * table under a lock. One without would have the same at each reading.
 */
const fieldColumns = fragment`coalesce(id, md5(key)::uuid) as id, key, label, type, choices, created_at`

/** All of them, by key: a hundred at most. */
export function fieldsOf(db: Database, workspaceId: number): Promise<FieldRow[]> {
  return db.rows<FieldRow>(sql`
    select ${fieldColumns} from subscriber_field where workspace_id = ${workspaceId} order by key`)
}

export function fieldOf(db: Database, workspaceId: number, key: string): Promise<FieldRow | null> {
  return db.row<FieldRow>(sql`
    select ${fieldColumns} from subscriber_field where workspace_id = ${workspaceId} and key = ${key}`)
}

// Each change is read again: behind RETURNING, Citus takes few functions.

/** Changes the label of a field; null when there is none. */
export async function labelField(
  db: Database,
  workspaceId: number,
  key: string,
  label: string | null,
): Promise<FieldRow | null> {
  await db.count(sql`
    update subscriber_field set label = ${label} where workspace_id = ${workspaceId} and key = ${key}`)
  return fieldOf(db, workspaceId, key)
}

/** Changes the type of a field, locked for the transaction; null when there is none. */
export async function setFieldType(
  db: Database,
  workspaceId: number,
  { key, type, choices }: TypedField,
): Promise<FieldRow | null> {
  await db.count(sql`
    update subscriber_field
    set type = ${type}, choices = ${choices}::text[]
    where workspace_id = ${workspaceId} and key = ${key}`)
  return fieldOf(db, workspaceId, key)
}

/** Those of these fields whose values must fit a type. */
export function typedFieldsAmong(
  db: Database,
  workspaceId: number,
  keys: string[],
): Promise<TypedField[]> {
  return db.rows<TypedField>(sql`
    select key, type, choices from subscriber_field
    where workspace_id = ${workspaceId} and key = any (${keys}::text[]) and type <> 'text'`)
}

export async function deleteField(
  db: Database,
  workspaceId: number,
  key: string,
): Promise<FieldRow | null> {
  const field = await fieldOf(db, workspaceId, key)
  const isDeleted = await db.changes(sql`
    delete from subscriber_field where workspace_id = ${workspaceId} and key = ${key}`)
  return isDeleted ? field : null
}

/** Names of tags, in the order of the index. */
export function tagNamesOf(db: Database, workspaceId: number, max: number): Promise<string[]> {
  return db.column<string>(sql`
    select name from subscriber_tag where workspace_id = ${workspaceId} order by name limit ${max}`)
}
