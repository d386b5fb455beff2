/**
 * Answers a call whose Idempotency-Key is taken: with the result of the first call (semantics 1:
 * Idempotency).
 */
import { ApiError } from '../../contract/errors.ts'
import type { AdmissionUnit } from '../../db/sending/admissions.ts'
import { findIdempotencyKey, takeBackRefused } from '../../db/sending/idempotency-keys.ts'
import { messagesById, type MessageRow } from '../../db/messages/messages.ts'
import type { CallContext } from '../context.ts'
import { rfc3339 } from '../input/read-time.ts'

/** An accepted call: the ids of its messages in request order, and its time. */
export interface Sent {
  ids: string[]
  createdAt: Date
  /**
   * Whether this repeats the answer of an earlier call with the same Idempotency-Key; nothing was
   * sent now.
   */
  replayed: boolean
  /** When the messages of a repeated call leave, RFC 3339; null for those that were sent at once. */
  scheduled?: (string | null)[]
}

/** A call by its key, and whether it is for later. */
interface Claim {
  idempotency: AdmissionUnit['idempotency']
  messages: { scheduledAt: string | null }[]
}

/**
 * Returns the answer of the call that holds the key. Waits while that call's own hand-off may still
 * be refused. Returns null when the key was freed meanwhile and may be claimed again.
 */
export async function replayOf(ctx: CallContext, unit: Claim): Promise<Sent | null> {
  if (!unit.idempotency) throw new Error('A unit without an idempotency key was replayed')
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, 200)) {
    const idempotencyKey = await findIdempotencyKey(ctx.db, ctx.workspaceId, unit.idempotency.key)
    if (!idempotencyKey) return null
    if (!idempotencyKey.fingerprint.equals(unit.idempotency.fingerprint))
      throw new ApiError('idempotency_key_reused', { key: unit.idempotency.key })
    if (idempotencyKey.refused) {
      // Another call with the key may find the refusal first, or the first call's process may be
      // gone.
      await takeBackRefused(
        ctx.db,
        ctx.workspaceId,
        idempotencyKey.messageIds,
        unit.idempotency.key,
      )
      return null
    }
    if (!idempotencyKey.open) {
      const rows = await messagesById(
        ctx.db,
        ctx.workspaceId,
        idsToRead(unit, idempotencyKey.messageIds),
      )
      const [first] = rows
      if (first)
        return {
          ids: idempotencyKey.messageIds,
          createdAt: first.createdAt,
          replayed: true,
          scheduled: idempotencyKey.messageIds.map((id) => scheduledOf(rows, id)),
        }
      throw new Error('A key stands for a message that is not there')
    }
    await ctx.clock.sleep(waitMs)
  }
}

/** One tells when the call was made; their times are needed where there are any. */
const idsToRead = (unit: Claim, ids: string[]): string[] =>
  unit.messages.some(({ scheduledAt }) => scheduledAt !== null) ? ids : ids.slice(0, 1)

function scheduledOf(rows: MessageRow[], id: string): string | null {
  const at = rows.find((row) => row.id === id)?.scheduledAt
  return at ? rfc3339(at) : null
}
