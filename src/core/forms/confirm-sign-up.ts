/** Confirms what a mail asked, with what the person had typed into a form: nothing of that is written before. */
import type { Database } from '../../db/connection/connect.ts'
import { takeConfirmedSignUp, waitsForConsent } from '../../db/forms/sign-ups.ts'
import { updateSubscriber } from '../../db/subscribers/subscribers.ts'
import type { Context } from '../context.ts'
import { confirmSubscriber, findConfirmation } from '../audience/confirm-subscriber.ts'
import type { Confirmation, Confirming } from '../audience/confirm-subscriber.ts'

/** As `findConfirmation`. Who is subscribed already may still have typed something into a form that waits for the button. */
export async function findSignUpConfirmation(ctx: Pick<Context, 'db' | 'linkTokens'>, token: string): Promise<Confirmation> {
  const confirmation = await findConfirmation(ctx, token)
  const subject = ctx.linkTokens.read('confirm', token)
  if (confirmation.state !== 'already' || !subject) return confirmation
  const waits = await waitsForConsent(ctx.db, subject.workspaceId, subject.second)
  return waits ? { ...confirmation, state: 'open' } : confirmation
}

/** As `confirmSubscriber`. */
export async function confirmSignUp(
  ctx: Pick<Context, 'db' | 'makeId' | 'linkTokens' | 'wake'>,
  confirming: Confirming,
): Promise<Confirmation> {
  const confirmation = await confirmSubscriber(ctx, confirming, writeTyped)
  const subject = ctx.linkTokens.read('confirm', confirming.token)
  if (confirmation.state === 'already' && subject) {
    const { workspaceId, second: consentId } = subject
    await ctx.db.transaction((tx) => writeTyped(tx, { workspaceId, consentId }))
  }
  return confirmation
}

/** What was left empty changes nothing of what is known. */
async function writeTyped(tx: Database, { workspaceId, consentId }: { workspaceId: number; consentId: string }): Promise<void> {
  const signUp = await takeConfirmedSignUp(tx, workspaceId, consentId)
  if (!signUp) return
  const { email, firstName, lastName, tags, fields } = signUp
  await updateSubscriber(tx, workspaceId, {
    ...{ email, tags, fields, askAfterSeconds: null },
    ...{ firstName: firstName ?? undefined, lastName: lastName ?? undefined },
  })
}
