/**
 * Confirms a subscription from a mail: by the page's button, never by opening the page (security:
 * What people reach).
 */
import type { SubscriberStatus } from '../../../contract/subscribers.ts'
import { retrying } from '../../../database/client/retrying.ts'
import type { Database } from '../../../database/client/database.ts'
import { askingOf, insertConsent, type Asking } from '../../../db/audience/consents.ts'
import { lockSubscriber, subscribe, subscriberById } from '../../../db/audience/subscribers.ts'
import {
  liftUnsubscribe,
  lockSuppression,
  suppressionsOf,
  type SuppressionRow,
} from '../../../db/suppression/suppressions.ts'
import type { LinkSubject } from '../../../ground/link-tokens.ts'
import type { Context } from '../../context.ts'
import { followSuppression } from '../../suppression/suppress-address.ts'
import { publishSubscriberChanges } from '../../events/subscriber-events.ts'

/**
 * The result. `suppressed`: the address is suppressed for a reason that this confirmation does not
 * lift. `unknown`: no such confirmation was sent, or the contact was erased since.
 */
export type Confirmation =
  | { state: 'unknown' }
  | {
      /** `open`: waits for the button. */
      state: 'open' | 'confirmed' | 'already' | 'suppressed'
      workspaceId: number
      subscriberId: string
      email: string
    }

/** Reads the state of a confirmation link; changes nothing. The token has the purpose `confirm`. */
export async function findConfirmation(
  ctx: Pick<Context, 'db' | 'linkTokens'>,
  token: string,
): Promise<Confirmation> {
  const subject = ctx.linkTokens.read('confirm', token)
  if (!subject) return { state: 'unknown' }
  const { workspaceId, first: subscriberId, second: consentId } = subject
  const [asking, subscriber] = await Promise.all([
    askingOf(ctx.db, workspaceId, { consentId, subscriberId }),
    subscriberById(ctx.db, workspaceId, subscriberId),
  ])
  if (!asking || !subscriber) return { state: 'unknown' }
  const entries = await suppressionsOf(ctx.db, workspaceId, [asking.email])
  return {
    workspaceId,
    subscriberId,
    email: asking.email,
    state: check(asking, subscriber.status, entries),
  }
}

/** The token of the confirming contact, their origin, and the text that they read. */
export interface Confirming {
  token: string
  /** The text of the page with the button. */
  shown: string
  ip: string | null
  userAgent: string | null
}

/** Writes in the confirming transaction. */
export type InConfirmation = (
  tx: Database,
  confirmed: { workspaceId: number; subscriberId: string; consentId: string },
) => Promise<void>

/**
 * Subscribes the contact and stores the evidence. A repeated call returns `already` and changes
 * nothing. A form's confirmation lifts the contact's own `unsubscribe`, but no bounce, complaint or
 * manual entry, and nothing newer than the mail.
 */
export async function confirmSubscriber(
  ctx: Pick<Context, 'db' | 'makeId' | 'linkTokens' | 'wake'>,
  {
    confirming,
    inSameTransaction = () => Promise.resolve(),
  }: { confirming: Confirming; inSameTransaction?: InConfirmation },
): Promise<Confirmation> {
  const subject = ctx.linkTokens.read('confirm', confirming.token)
  if (!subject) return { state: 'unknown' }
  const { workspaceId, first: subscriberId, second: consentId } = subject
  const asking = await askingOf(ctx.db, workspaceId, { consentId, subscriberId })
  if (!asking) return { state: 'unknown' }
  const { email } = asking
  const state = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      // Locks the suppression list first, then the subscriber, then the rest: suppressing locks in
      // this order.
      await lockSuppression(tx, workspaceId, email)
      const status = await lockSubscriber(tx, workspaceId, subscriberId)
      const known = await askingOf(tx, workspaceId, { consentId, subscriberId })
      if (status === null || !known) return 'unknown'
      const checked = check(known, status, await suppressionsOf(tx, workspaceId, [email]))
      if (checked !== 'open') return checked
      await confirm(ctx, tx, { subject, asking: known, confirming })
      await inSameTransaction(tx, { workspaceId, subscriberId, consentId })
      await publishSubscriberChanges(tx, workspaceId, { confirmed: [subscriberId] })
      return 'confirmed'
    }),
  )
  if (state === 'unknown') return { state }
  // A call that suppressed the address at the same moment may not have seen the subscriber.
  if (state === 'confirmed') {
    ctx.wake('webhook')
    await followSuppression(ctx, { workspaceId, email })
  }
  return { state, workspaceId, subscriberId, email }
}

function check(
  asking: Asking,
  status: SubscriberStatus,
  entries: SuppressionRow[],
): 'open' | 'already' | 'suppressed' {
  if (status === 'subscribed') return 'already'
  const askedThemself = asking.source === 'form'
  const left = status === 'unsubscribed' && !askedThemself
  if (left || status === 'bounced' || status === 'complained' || asking.leftSince)
    return 'suppressed'
  const suppresses = ({ scope, reason }: SuppressionRow): boolean =>
    scope === 'platform' || reason !== 'unsubscribe' || !askedThemself
  return entries.some(suppresses) ? 'suppressed' : 'open'
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
    ...{
      id: ctx.makeId(),
      subscriberId,
      email: asking.email,
      act: 'confirmed',
      shown,
      source: asking.source,
      ip,
      userAgent,
    },
    ...{ apiKeyId: null, messageId: asking.messageId, campaignId: null },
  })
}
