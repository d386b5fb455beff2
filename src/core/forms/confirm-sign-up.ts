/**
 * Confirms a sign-up and writes what was typed into the form; before this, none of it is written.
 */
import type { Database } from '../../database/client/database.ts'
import {
  insertChoiceEvidence,
  topicsOfContact,
  writeTopicChoices,
} from '../../db/audience/topic-choices.ts'
import { keepTopics } from '../../db/audience/topics.ts'
import { takeConfirmedSignUp, waitsForConsent, type SignUpRow } from '../../db/forms/sign-ups.ts'
import { updateSubscriber } from '../../db/audience/subscribers.ts'
import type { Context } from '../context.ts'
import {
  confirmSubscriber,
  findConfirmation,
  type Confirmation,
  type Confirming,
} from '../audience/consent/confirm-subscriber.ts'
import { recipientTexts } from '../../ground/texts/recipient-texts.ts'

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
  const confirmation = await confirmSubscriber(ctx, {
    confirming,
    inSameTransaction: (tx, confirmed) => writeTyped(ctx, tx, { ...confirmed, isNew: true }),
  })
  const subject = ctx.linkTokens.read('confirm', confirming.token)
  if (confirmation.state === 'already' && subject) {
    const { workspaceId, first: subscriberId, second: consentId } = subject
    await ctx.db.transaction((tx) =>
      writeTyped(ctx, tx, { workspaceId, subscriberId, consentId, isNew: false }),
    )
  }
  return confirmation
}

interface Confirmed {
  workspaceId: number
  subscriberId: string
  consentId: string
  /** Whether this subscribes the contact. False if it was subscribed before. */
  isNew: boolean
}

/** Empty fields leave the known values unchanged. */
async function writeTyped(
  ctx: Pick<Context, 'makeId'>,
  tx: Database,
  confirmed: Confirmed,
): Promise<void> {
  const { workspaceId, consentId } = confirmed
  const signUp = await takeConfirmedSignUp(tx, workspaceId, consentId)
  if (!signUp) return
  const { email, firstName, lastName, tags, fields } = signUp
  await updateSubscriber(tx, workspaceId, {
    ...{ email, tags, fields, askAfterSeconds: null },
    ...{ firstName: firstName ?? undefined, lastName: lastName ?? undefined },
  })
  await writeTopics(ctx, tx, { confirmed, signUp })
}

/**
 * Each topic that the form showed is a choice, with a tick or without, and is evidence. Anybody may
 * fill in a form for an address: what a contact chose before stays, and a box without a tick takes
 * no topic from who is subscribed.
 */
async function writeTopics(
  { makeId }: Pick<Context, 'makeId'>,
  tx: Database,
  {
    confirmed: { workspaceId, subscriberId, isNew },
    signUp: { topics, ip, userAgent, language },
  }: { confirmed: Confirmed; signUp: SignUpRow },
): Promise<void> {
  const remaining = await keepTopics(
    tx,
    workspaceId,
    (topics ?? []).map(({ id }) => id),
  )
  const known = await topicsOfContact(tx, workspaceId, subscriberId)
  const chosen = new Set(known.flatMap(({ id, isChosen }) => (isChosen ? [id] : [])))
  const choices = (topics ?? []).filter(
    ({ id, subscribed }) => remaining.includes(id) && !chosen.has(id) && (isNew || subscribed),
  )
  if (choices.length === 0) return
  const nameOf = new Map(known.map(({ id, name }) => [id, name]))
  await writeTopicChoices(tx, workspaceId, { subscriberId, choices })
  await insertChoiceEvidence(
    tx,
    workspaceId,
    choices.map(({ id, subscribed, name = nameOf.get(id) ?? '' }) => ({
      ...{ id: makeId(), subscriberId, source: 'form' as const, campaignId: null, ip, userAgent },
      act: subscribed ? ('topic_joined' as const) : ('topic_left' as const),
      topic: name,
      shown: `${recipientTexts[language ?? 'en'].form.topics}\n[${subscribed ? 'x' : ' '}] ${name}`,
    })),
  )
}
