/**
 * Checks that this process can do its work now: nobody has asked it to stop, and the database
 * answers, takes writes, and has a schema that this version can work on. The answer itself shows
 * that the process listens.
 */
import { waitAtMost } from '../../ground/clock.ts'
import type { Context } from '../../core/context.ts'
import { NoPrimaryError } from '../../database/client/servers.ts'
import { schemaState } from '../../database/schema/schema-state.ts'
import { isReadOnly } from '../../database/client/server-state.ts'

export interface Readiness {
  ready: boolean
  /** The reasons why it is not ready; empty when ready. */
  reasons: {
    reason:
      | 'stopping'
      | 'database_unreachable'
      | 'no_primary'
      | 'read_only'
      | 'not_migrated'
      | 'newer_schema'
    migrations?: string[]
  }[]
}

interface Requested {
  /** Aborted once the process was asked to stop. */
  stopping?: AbortSignal | undefined
  /** Whether the switch of a move keeps statements back. */
  isPaused?: (() => boolean) | undefined
}

/**
 * A move to another database begins where the process works; a balancer that gave all processes up
 * would turn a pause into an outage.
 */
const asBefore: Readiness = { ready: true, reasons: [] }

/** Time limit of the check, because load balancers do not wait longer. */
const withinMs = 2_000

export async function checkReadiness(
  ctx: Pick<Context, 'db' | 'clock'>,
  { stopping, isPaused = () => false }: Requested,
): Promise<Readiness> {
  if (stopping?.aborted) return { ready: false, reasons: [{ reason: 'stopping' }] }
  if (isPaused()) return asBefore
  const requested = Promise.all([schemaState(ctx.db), isReadOnly(ctx.db)])
  const answer = await waitAtMost(
    ctx.clock,
    withinMs,
    requested.catch((error: unknown) =>
      error instanceof NoPrimaryError ? ('no_primary' as const) : null,
    ),
  )
  if (!Array.isArray(answer) && isPaused()) return asBefore
  if (!Array.isArray(answer))
    return { ready: false, reasons: [{ reason: answer ?? 'database_unreachable' }] }
  const [state, readOnly] = answer
  const reasons: Readiness['reasons'] = []
  if (readOnly) reasons.push({ reason: 'read_only' })
  if (state.missing.length > 0) reasons.push({ reason: 'not_migrated', migrations: state.missing })
  if (state.unknown.length > 0) reasons.push({ reason: 'newer_schema', migrations: state.unknown })
  return { ready: reasons.length === 0, reasons }
}
