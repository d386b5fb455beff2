/**
 * Completes one sign-up in a worker, after the visitor got the answer: finds the contact, and
 * checks whether a confirmation mail may go to them.
 *
 * 1. the workspace must be able to send now, else the sign-up waits an hour
 * 2. the address must be free of suppressions other than the contact's own `unsubscribe`
 * 3. the contact got no such mail within 24 hours, and fewer than three without an answer
 * 4. admit the mail, in the same transaction; the typed values wait for the confirmation
 */
import type { FormMail } from '../../contract/workspace/forms.ts'
import { retrying } from '../../database/client/retrying.ts'
import type { Database } from '../../database/client/database.ts'
import { recordOrigin } from '../../db/forms/record-origin.ts'
import { mailOfForm } from '../../db/forms/sign-up-forms.ts'
import {
  asksOf,
  awaitConsent,
  deleteSignUp,
  postponeSignUp,
  takeNextSignUp,
  type SignUpRow,
} from '../../db/forms/sign-ups.ts'
import {
  insertSubscriber,
  lockSubscriber,
  subscriberByEmail,
  type SubscriberRow,
} from '../../db/audience/subscribers.ts'
import { suppressionsOf } from '../../db/suppression/suppressions.ts'
import type { Context } from '../context.ts'
import { findAsker, sendConfirmation } from '../audience/consent/send-confirmation.ts'
import { publishSubscriberChanges } from '../events/subscriber-events.ts'

const asksInDay = 1
const asksUnanswered = 3
const waitSeconds = 3_600

type Finalizing = Pick<Context, 'db' | 'makeId' | 'linkTokens' | 'settings' | 'wake'>

/** Returns false when no sign-up of the workspace is due. */
export async function completeSignUp(ctx: Finalizing, workspaceId: number): Promise<boolean> {
  const settled = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      const signUp = await takeNextSignUp(tx, workspaceId)
      return signUp && complete(ctx, tx, workspaceId, signUp)
    }),
  )
  if (settled === 'asked') {
    ctx.wake('transactional')
    ctx.wake('webhook')
  }
  return settled !== null
}

async function complete(
  ctx: Finalizing,
  tx: Database,
  workspaceId: number,
  signUp: SignUpRow,
): Promise<'waits' | 'dropped' | 'asked'> {
  const { id, formId, email, shown, ip, userAgent, language } = signUp
  const asker = await findAsker(ctx, tx, workspaceId)
  if ('refusal' in asker) {
    await postponeSignUp(tx, workspaceId, id, waitSeconds)
    return 'waits'
  }
  const contact = await contactToAsk(ctx, tx, workspaceId, email)
  if (contact === null) {
    await deleteSignUp(tx, workspaceId, id)
    return 'dropped'
  }
  if (contact.added) await recordOrigin(tx, workspaceId, { id: contact.id, formId, language })
  const form = await mailOfForm(tx, workspaceId, formId)
  const words = form?.mail ?? null
  const ask = {
    subscriber: { id: contact.id, email },
    source: 'form',
    shown,
    words,
    ip,
    userAgent,
    apiKeyId: null,
  } as const
  // Own texts are in the language of the form or the workspace, so the rest of the mail is too.
  const spoken = form?.language ?? (hasWords(words) ? null : language) ?? asker.language
  const { consentId } = await sendConfirmation(ctx, tx, {
    workspaceId,
    asker: { ...asker, language: spoken },
    ask,
  })
  await awaitConsent(tx, workspaceId, id, consentId)
  await publishSubscriberChanges(tx, workspaceId, { created: contact.added ? [contact.added] : [] })
  return 'asked'
}

const hasWords = (mail: FormMail | null): boolean =>
  mail !== null && Object.values(mail).some((words) => words !== null)

/**
 * Returns the contact of the address, creating a pending one; null when no confirmation mail may go
 * to them. The lock puts concurrent sign-ups in order.
 */
async function contactToAsk(
  ctx: Pick<Context, 'makeId'>,
  tx: Database,
  workspaceId: number,
  email: string,
): Promise<{ id: string; added: SubscriberRow | null } | null> {
  const entries = await suppressionsOf(tx, workspaceId, [email])
  if (entries.some(({ scope, reason }) => scope === 'platform' || reason !== 'unsubscribe'))
    return null
  const contact = {
    email,
    status: 'pending',
    confirmation: true,
    source: 'form',
    ...nothingTyped,
  } as const
  const added = await insertSubscriber(tx, workspaceId, { id: ctx.makeId(), ...contact })
  const id = added?.id ?? (await subscriberByEmail(tx, workspaceId, email))?.id
  const status = id === undefined ? null : await lockSubscriber(tx, workspaceId, id)
  if (id === undefined || status === null || status === 'bounced' || status === 'complained')
    return null
  const { inDay, unanswered } = await asksOf(tx, workspaceId, email)
  return inDay < asksInDay && unanswered < asksUnanswered ? { id, added } : null
}

const nothingTyped = { firstName: null, lastName: null, tags: [], fields: {} }
