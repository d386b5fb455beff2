/**
 * Values of custom fields as PostgreSQL compares them. They are stored as the texts that came, so
 * that a change of type writes no subscriber and loses nothing.
 */
import { fieldPatterns, type TypedField } from '../../contract/field-types.ts'
import { part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import { allowSweeps } from '../../database/planner/allow-sweeps.ts'
import type { Database } from '../../database/client/database.ts'

/**
 * The value of a field within a list `s` of subscribers, in its type; null where it is absent or
 * does not fit. The text is matched before it is cast, so that no row makes a statement fail.
 */
export function typedValue({ key, type, choices }: TypedField): Fragment {
  const text = part`(s.fields ->> ${key}::text)`
  switch (type) {
    case 'text':
      return text
    case 'number':
      return part`(case when ${text} ~ ${fieldPatterns.number} then ${text}::numeric end)`
    case 'date':
      return part`(case when ${text} ~ ${fieldPatterns.date} then ${text}::date end)`
    case 'boolean':
      return part`(case when ${text} ~ ${fieldPatterns.boolean} then ${text}::boolean end)`
    case 'choice':
      return part`(case when ${text} = any (${choices}::text[]) then ${text} end)`
  }
}

/** Two passes over the subscribers of a workspace, some seconds for each million. */
export const previewTimeoutMs = 60_000

/** A subscriber whose value does not fit. */
export interface Misfit {
  id: string
  email: string
  value: string
}

export interface TypePreview {
  /** Subscribers who have a value. */
  values: number
  /** Those of them whose value does not fit. */
  misfits: number
  /** Some of those, the newest subscribers first. */
  sample: Misfit[]
}

/** Counts the values of a field that fit a type and those that do not, at one moment. */
export async function previewType(
  tx: Database,
  workspaceId: number,
  field: TypedField,
  sampleMax: number,
): Promise<TypePreview> {
  const long = await allowSweeps(tx, previewTimeoutMs)
  const value = part`s.fields ->> ${field.key}::text`
  const valued = part`subscriber s where s.workspace_id = ${workspaceId} and ${value} is not null`
  return tx.onlyRow<TypePreview>(
    long(sql`
      select count(*)::int8 as
      values, count(*) filter (where ${typedValue(field)} is null)::int8 as misfits, (
        select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'email', m.email, 'value',
          m.value) order by m.id desc),
          '[]')
        from (
          select s.id, s.email, ${value} as value
          from ${valued} and ${typedValue(field)} is null
          order by s.id desc
          limit ${sampleMax}
        ) m
      ) as sample
      from ${valued}`),
  )
}
