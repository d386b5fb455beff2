/**
 * Confirms a sign-up and writes what was typed into the form; before this, none of it is written.
 */
import type { Database } from '../../database/client/database.ts'
import { takeConfirmedSignUp, waitsForConsent } from '../../db/forms/sign-ups.ts'
import { updateSubscriber } from '../../db/audience/subscribers.ts'
import type { Context } from '../context.ts'
import {
  confirmSubscriber,
  findConfirmation,
  type Confirmation,
  type Confirming,
} from '../audience/consent/confirm-subscriber.ts'

/**
 * Like `findConfirmation`. An existing subscriber may have typed values that wait for the button.
 */
export async function findSignUpConfirmation(
  ctx: Pick<Context, 'db' | 'linkTokens'>,
  token: string,
): Promise<Confirmation> {
  const confirmation = await findConfirmation(ctx, token)
  const subject = ctx.linkTokens.read('confirm', token)
  if (confirmation.state !== 'already' || !subject) return confirmation
  const waits = await waitsForConsent(ctx.db, subject.workspaceId, subject.second)
  return waits ? { ...confirmation, state: 'open' } : confirmation
}

/** Like `confirmSubscriber`. */
export async function confirmSignUp(
  ctx: Pick<Context, 'db' | 'makeId' | 'linkTokens' | 'wake'>,
  confirming: Confirming,
): Promise<Confirmation> {
  const confirmation = await confirmSubscriber(ctx, { confirming, inSameTransaction: writeTyped })
  const subject = ctx.linkTokens.read('confirm', confirming.token)
  if (confirmation.state === 'already' && subject) {
    const { workspaceId, second: consentId } = subject
    await ctx.db.transaction((tx) => writeTyped(tx, { workspaceId, consentId }))
  }
  return confirmation
}

/** Empty fields leave the known values unchanged. */
async function writeTyped(
  tx: Database,
  { workspaceId, consentId }: { workspaceId: number; consentId: string },
): Promise<void> {
  const signUp = await takeConfirmedSignUp(tx, workspaceId, consentId)
  if (!signUp) return
  const { email, firstName, lastName, tags, fields } = signUp
  await updateSubscriber(tx, workspaceId, {
    ...{ email, tags, fields, askAfterSeconds: null },
    ...{ firstName: firstName ?? undefined, lastName: lastName ?? undefined },
  })
}
