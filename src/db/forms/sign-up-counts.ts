/** How many contacts came by each form. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface SignUpCount {
  formId: string
  /** Up to `max`. */
  count: number
  /** Of these. */
  confirmed: number
}

/** Of the last days, the newest `max` of each form. A form by which nobody came has zeros. */
export function countSignUps(
  db: Database,
  workspaceId: number,
  { formIds, days, max }: { formIds: string[]; days: number; max: number },
): Promise<SignUpCount[]> {
  return db.rows<SignUpCount>(sql`
    select form.id as form_id, came.count, came.confirmed
    from unnest(${formIds}::uuid[]) as form (id)
    cross join lateral (
      select count(*)::int as count, (count(*) filter (where confirmed_at is not null))::int as confirmed
      from (
        select confirmed_at from subscriber
        where workspace_id = ${workspaceId} and form_id = form.id
          and created_at >= facteur_now() - ${days} * interval '1 day'
        order by created_at desc limit ${max}) s
    ) came`)
}
