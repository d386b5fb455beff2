/** A person confirms what a mail asked them: the page's button, never its mere opening (security: What people reach). */
import type { SubscriberStatus } from '../../contract/subscribers.ts'
import { retrying } from '../../db/connection/connect.ts'
import type { Database } from '../../db/connection/connect.ts'
import { askingOf, insertConsent } from '../../db/subscribers/consents.ts'
import type { Asking } from '../../db/subscribers/consents.ts'
import { lockSubscriber, subscribe, subscriberById } from '../../db/subscribers/subscribers.ts'
import { liftUnsubscribe, lockSuppression, suppressionsOf } from '../../db/suppression/suppressions.ts'
import type { SuppressionRow } from '../../db/suppression/suppressions.ts'
import type { LinkSubject } from '../../link-tokens.ts'
import type { Context } from '../context.ts'
import { followSuppression } from '../suppression/suppress-address.ts'
import { publishSubscriberChanges } from '../events/subscriber-events.ts'

/**
 * What became of it. `closed`: the address may not be written to, for a reason that this asking does not lift. `unknown`: nobody
 * was asked this, or the person was erased since.
 */
export type Confirmation =
  | { state: 'unknown' }
  | {
      /** `open`: waits for the button. */
      state: 'open' | 'confirmed' | 'already' | 'closed'
      workspaceId: number
      subscriberId: string
      email: string
    }

/** How a confirmation link stands; changes nothing. The token is of the purpose `confirm`. */
export async function findConfirmation(ctx: Pick<Context, 'db' | 'linkTokens'>, token: string): Promise<Confirmation> {
  const subject = ctx.linkTokens.read('confirm', token)
  if (!subject) return { state: 'unknown' }
  const { workspaceId, first: subscriberId, second: consentId } = subject
  const [asking, subscriber] = await Promise.all([
    askingOf(ctx.db, workspaceId, { consentId, subscriberId }),
    subscriberById(ctx.db, workspaceId, subscriberId),
  ])
  if (!asking || !subscriber) return { state: 'unknown' }
  const entries = await suppressionsOf(ctx.db, workspaceId, [asking.email])
  return { workspaceId, subscriberId, email: asking.email, state: check(asking, subscriber.status, entries) }
}

/** Who confirms, from where, and what they read. */
export interface Confirming {
  token: string
  /** The words of the page with the button. */
  shown: string
  ip: string | null
  userAgent: string | null
}

/** Written in the transaction that confirms. */
export type InConfirmation = (
  tx: Database,
  confirmed: { workspaceId: number; subscriberId: string; consentId: string },
) => Promise<void>

/**
 * Makes the person subscribed and keeps the evidence; again it is `already`, and changes nothing. What was asked by a form lifts
 * the person's own `unsubscribe`, never a bounce, a complaint or somebody's decision, and nothing that came after the asking.
 */
export async function confirmSubscriber(
  ctx: Pick<Context, 'db' | 'makeId' | 'linkTokens' | 'wake'>,
  confirming: Confirming,
  alongside: InConfirmation = () => Promise.resolve(),
): Promise<Confirmation> {
  const subject = ctx.linkTokens.read('confirm', confirming.token)
  if (!subject) return { state: 'unknown' }
  const { workspaceId, first: subscriberId, second: consentId } = subject
  const asking = await askingOf(ctx.db, workspaceId, { consentId, subscriberId })
  if (!asking) return { state: 'unknown' }
  const { email } = asking
  const state = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      // The list first, then the person, then what else is known: addresses are closed in this order.
      await lockSuppression(tx, workspaceId, email)
      const status = await lockSubscriber(tx, workspaceId, subscriberId)
      const known = await askingOf(tx, workspaceId, { consentId, subscriberId })
      if (status === null || !known) return 'unknown'
      const judged = check(known, status, await suppressionsOf(tx, workspaceId, [email]))
      if (judged !== 'open') return judged
      await confirm(ctx, tx, { subject, asking: known, confirming })
      await alongside(tx, { workspaceId, subscriberId, consentId })
      await publishSubscriberChanges(tx, workspaceId, { confirmed: [subscriberId] })
      return 'confirmed'
    }),
  )
  if (state === 'unknown') return { state }
  // A call that suppressed the address in the same moment may not have seen a subscriber yet.
  if (state === 'confirmed') {
    ctx.wake('webhook')
    await followSuppression(ctx, workspaceId, email)
  }
  return { state, workspaceId, subscriberId, email }
}

function check(asking: Asking, status: SubscriberStatus, entries: SuppressionRow[]): 'open' | 'already' | 'closed' {
  if (status === 'subscribed') return 'already'
  const askedThemself = asking.source === 'form'
  const left = status === 'unsubscribed' && !askedThemself
  if (left || status === 'bounced' || status === 'complained' || asking.leftSince) return 'closed'
  const bars = ({ scope, reason }: SuppressionRow): boolean => scope === 'platform' || reason !== 'unsubscribe' || !askedThemself
  return entries.some(bars) ? 'closed' : 'open'
}

async function confirm(
  ctx: Pick<Context, 'makeId'>,
  tx: Database,
  { subject, asking, confirming }: { subject: LinkSubject; asking: Asking; confirming: Confirming },
): Promise<void> {
  const { workspaceId, first: subscriberId } = subject
  const { shown, ip, userAgent } = confirming
  await liftUnsubscribe(tx, workspaceId, asking.email)
  await subscribe(tx, workspaceId, subscriberId)
  await insertConsent(tx, workspaceId, {
    ...{ id: ctx.makeId(), subscriberId, email: asking.email, act: 'confirmed', shown, source: asking.source, ip, userAgent },
    ...{ apiKeyId: null, messageId: asking.messageId, campaignId: null },
  })
}
