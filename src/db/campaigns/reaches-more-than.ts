/** Tells whether an audience is larger than a number, and reads no more contacts than that takes. */
import { allowSweeps } from '../../database/planner/allow-sweeps.ts'
import { fragment, part } from '../../database/client/fragment.ts'
import { sql, unprepared } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import {
  compileConditions,
  isUnsuppressed,
  type AudienceConditions,
} from './audience-conditions.ts'

/** Rejects with the SQLSTATE 57014 after `timeoutMs`. */
export async function reachesMoreThan(
  tx: Database,
  conditions: AudienceConditions,
  { above, timeoutMs }: { above: number; timeoutMs: number },
): Promise<boolean> {
  const { workspaceId } = conditions.context
  const { joins, to, getsTopic, except } = compileConditions(conditions)
  const included = [to, getsTopic].flatMap((each) => (each ? [part`and ${each}`] : []))
  const excluded = except.map((each) => part`and not (${each})`)
  const condition = [...included, ...excluded].reduce(
    (all, each) => part`${all} ${each}`,
    fragment``,
  )
  const long = await allowSweeps(tx, timeoutMs)
  return tx.onlyValue<boolean>(
    long(
      unprepared(sql`
        select count(*) > ${above}::bigint
        from (
          select
          from subscriber s ${joins}
          where s.workspace_id = ${workspaceId} and s.status = 'subscribed' and ${isUnsuppressed(workspaceId)}
            ${condition}
          limit ${above + 1}::bigint
        ) contacts`),
    ),
  )
}
