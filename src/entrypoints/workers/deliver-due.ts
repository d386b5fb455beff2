/** One workspace's turn: settles lost leases, claims what is due, hands it over, and says when there is work next. */
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

/** Answers whether anything was claimed. The hand-offs go on by themselves; each tells `onEnd` when its outcome is recorded. */
export async function deliverDue(service: Service, workspaceId: number, share: number, onEnd: () => void): Promise<boolean> {
  await settleLostLeases(service.db, workspaceId, lane, outcomeRules(service))
  await giveUpDoubts(service.db, workspaceId, lane)
  const places = await takeRate(service, Math.min(share, service.provider.free(), heldMax - service.sending.held()))
  if (places <= 0) return false
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
      .catch((error: unknown) => service.log.error({ err: error, messageId: row.messageId }, 'An outcome was not recorded: its row becomes in doubt'))
      .finally(onEnd)
  }
  // After the hand-offs have begun: whatever fails here, they go on.
  if (claimed.length < places) await raiseDue(service.db, workspaceId, lane)
  return claimed.length > 0
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
