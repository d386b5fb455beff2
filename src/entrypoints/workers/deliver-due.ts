/** One workspace's turn: claims what is due and hands it over; now and then looks after what was lost, and when to come again. */
import type { Service } from '../../core/context.ts'
import { composeEmail, readHead } from '../../core/sending/compose-email.ts'
import { takeRate } from '../../core/sending/provider-rate.ts'
import { outcomeRules } from '../../core/sending/record-outcome.ts'
import { claimRecipients, giveUpDoubts, messageAttachments, settleLostLeases } from '../../db/claims.ts'
import type { ClaimedRow } from '../../db/claims.ts'
import { raiseDue } from '../../db/due.ts'
import type { ComposedMessage } from '../../mail/compose.ts'

const lane = 'transactional'

/** Rows that workers of this process hold at most, recording included. */
const heldMax = 512

/** How often a workspace is looked after, in milliseconds: not at each turn, since turns under load follow each other closely. */
const careEveryMs = 200

/**
 * `more`: as much as could be claimed was claimed. `later`: nothing more is due now. `full`: the provider takes nothing now.
 */
export type Turn = 'more' | 'later' | 'full'

/** A worker's turns; it remembers when it looked after each workspace. */
export function createDeliverDue(service: Service): (workspaceId: number, share: number, onEnd: () => void) => Promise<Turn> {
  const lookedAfterAtMs = new Map<number, number>()
  return async (workspaceId, share, onEnd) => {
    const turn = await claimAndHandOff(service, workspaceId, share, onEnd)
    const nowMs = service.clock.monotonicMs()
    if (nowMs - (lookedAfterAtMs.get(workspaceId) ?? -Infinity) < careEveryMs) return turn
    lookedAfterAtMs.set(workspaceId, nowMs)
    await settleLostLeases(service.db, workspaceId, lane, outcomeRules(service))
    await giveUpDoubts(service.db, workspaceId, lane)
    if (turn !== 'later') return turn
    await raiseDue(service.db, workspaceId, lane)
    lookedAfterAtMs.delete(workspaceId)
    return turn
  }
}

/** The hand-offs go on by themselves; each tells `onEnd` when its outcome is recorded. */
async function claimAndHandOff(service: Service, workspaceId: number, share: number, onEnd: () => void): Promise<Turn> {
  const places = await takeRate(service, Math.min(share, service.provider.free(), heldMax - service.sending.held()))
  if (places <= 0) return 'full'
  const askedAtMs = service.clock.monotonicMs()
  const claimed = await claimRecipients(service.db, workspaceId, lane, places, service.settings.leaseSeconds)
  await service.failpoints.hit('worker.after_claim')
  const compose = composeOnce(service, workspaceId)
  for (const row of claimed) {
    const mail = compose(row)
    // Waited for here, so that the provider knows of it before the next claim; what it throws is told by the hand-off.
    await mail.catch(() => undefined)
    const handOff = service.sending.handOff({
      workspaceId,
      messageId: row.messageId,
      position: row.position,
      fence: row.fence,
      attempt: row.attempts,
      askedAtMs,
      recipient: row.email,
      returnPath: readHead(row.head).from.address,
      compose: () => mail,
    })
    handOff
      .catch((error: unknown) =>
        service.log.error({ err: error, messageId: row.messageId }, 'An outcome was not recorded: its row becomes in doubt'),
      )
      .finally(onEnd)
  }
  return claimed.length < places ? 'later' : 'more'
}

/** The recipients of one message share its bytes. */
function composeOnce(service: Service, workspaceId: number): (row: ClaimedRow) => Promise<ComposedMessage> {
  const composed = new Map<string, Promise<ComposedMessage>>()
  const compose = async (row: ClaimedRow): Promise<ComposedMessage> => {
    const { messageId, head, attachments, ...rest } = row
    return composeEmail({
      ...rest,
      id: messageId,
      head: readHead(head),
      attachments: attachments ? await messageAttachments(service.db, workspaceId, messageId) : [],
    })
  }
  return (row) => {
    const known = composed.get(row.messageId) ?? compose(row)
    composed.set(row.messageId, known)
    return known
  }
}
