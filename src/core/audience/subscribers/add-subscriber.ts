/**
 * POST /subscribers: adds a subscriber, or merges the values into the existing record.
 *
 * 1. validate the shape, and values of fields by their types
 * 2. when a confirmation is needed: check the reputation, which may block all mail
 * 3. refuse a suppressed address, and a subscriber who unsubscribed, bounced or complained
 * 4. when a confirmation is needed: check the sender and its domain
 * 5. in one transaction: record, tags, fields, evidence, the confirmation mail, and the event
 */
import { ApiError } from '../../../contract/errors.ts'
import type {
  SubscriberRequest,
  SubscriberResult,
  SubscriberStatus,
} from '../../../contract/subscribers.ts'
import type { SuppressionReason } from '../../../contract/suppression.ts'
import { insertConsent } from '../../../db/audience/consents.ts'
import { retrying } from '../../../database/client/retrying.ts'
import type { Database } from '../../../database/client/database.ts'
import { makeTags } from '../../../db/audience/subscriber-fields.ts'
import {
  insertSubscriber,
  subscriberStatusOf,
  updateSubscriber,
  type SubscriberRow,
  type SubscriberState,
} from '../../../db/audience/subscribers.ts'
import { suppressionsOf } from '../../../db/suppression/suppressions.ts'
import type { CallContext } from '../../context.ts'
import { followSuppression } from '../../suppression/suppress-address.ts'
import { publishSubscriberChanges } from '../../events/subscriber-events.ts'
import { defineFields } from '../fields/define-fields.ts'
import { checkFieldValues } from '../fields/field-values.ts'
import { readConsentWords } from '../consent/read-consent-words.ts'
import { sourceOf } from './source-of.ts'
import { recordManualChange } from './record-manual-change.ts'
import { readSubscriber, refuseTagsLeftOut, type GivenSubscriber } from './read-subscriber.ts'
import {
  findAsker,
  sendConfirmation,
  type Asker,
  type NoAsker,
} from '../consent/send-confirmation.ts'
import { presentSubscriber } from '../../presentation/present-subscriber.ts'
import { confirmAgainAfterSeconds } from '../consent/confirm-again-after.ts'
import type { Verb } from '../../verb.ts'

/**
 * Tries when the subscriber changes between the checks and the writing: then the checks run again.
 */
const triesMax = 5

export const addSubscriber: Verb<'addSubscriber'> = async (ctx, { body }) => {
  const { doubleOptIn, words } = ctx.user ? readConsent(body.consent) : readOptIn(body)
  const input = readSubscriber(body)
  await checkFieldValues(ctx, input.fields)
  for (let tries = 0; tries < triesMax; tries++) {
    const checked = await check(ctx, input.email, doubleOptIn)
    const stored = await retrying(() =>
      ctx.db.transaction((tx) => keep(ctx, tx, input, { ...checked, words })),
    )
    if (stored) return answer(ctx, stored)
  }
  throw new ApiError('conflict', { email: input.email, reason: 'changed_meanwhile' })
}

/**
 * How a subscriber is added: asked to confirm, or subscribed at once on the word of the adding
 * user, in `words` if given.
 */
interface OptIn {
  doubleOptIn: boolean
  words: string | null
}

/** A user never subscribes anybody at once without the words of their consent. */
function readConsent(consent: string | null = null): OptIn {
  const words = readConsentWords(consent)
  return { doubleOptIn: words === null, words }
}

const readOptIn = ({ double_opt_in: doubleOptIn = true }: SubscriberRequest): OptIn => ({
  doubleOptIn,
  words: null,
})

interface Checked {
  known: boolean
  /** The sender of the confirmation; null when none is needed. */
  asker: Asker | null
}

/** Checks whether the address may be added; throws the refusals. */
async function check(ctx: CallContext, email: string, doubleOptIn: boolean): Promise<Checked> {
  const [known, [entry]] = await Promise.all([
    subscriberStatusOf(ctx.db, ctx.workspaceId, email),
    suppressionsOf(ctx.db, ctx.workspaceId, [email]),
  ])
  const suppressed = suppressedBy(known?.status ?? null, entry?.reason ?? null)
  const asks = doubleOptIn && (suppressed !== null || known === null || isToBeAskedAgain(known))
  const asker = asks ? await findAsker(ctx, ctx.db, ctx.workspaceId) : null
  if (asker && 'refusal' in asker) {
    if (suppressed && asker.refusal !== 'reputation_blocked') throw suppressed(email)
    throw refusalOfAsker(asker)
  }
  if (suppressed) throw suppressed(email)
  return { known: known !== null, asker }
}

/** The refusal of a contact who is to be asked to confirm, in a workspace that cannot ask. */
export const refusalOfAsker = (asker: NoAsker): ApiError =>
  asker.refusal === 'no_sender'
    ? new ApiError('validation_error', { reason: asker.refusal })
    : new ApiError(asker.refusal, asker.details)

export const isToBeAskedAgain = ({ status, askedSecondsAgo }: SubscriberState): boolean =>
  status === 'pending' && (askedSecondsAgo ?? Infinity) >= confirmAgainAfterSeconds

const reasonOf = {
  unsubscribed: 'unsubscribe',
  bounced: 'bounce',
  complained: 'complaint',
} as const

/**
 * The refusal of a suppressed address; null when it may be added. The list's reason is the stronger
 * one. `suppressed: false` means that the list no longer has the address, and the subscriber's
 * status is the reason.
 */
export function suppressedBy(
  status: SubscriberStatus | null,
  listed: SuppressionReason | null,
): ((email: string) => ApiError) | null {
  const left =
    status === null || status === 'pending' || status === 'subscribed' ? null : reasonOf[status]
  const reason = listed ?? left
  return reason === null
    ? null
    : (email) =>
        new ApiError('suppressed_recipient', {
          email,
          reason,
          status,
          ...(listed === null && { suppressed: false }),
        })
}

interface StoredSubscriber {
  row: SubscriberRow
  created: boolean
  needsConfirmation: boolean
  /** Number of pending deliveries of its event. */
  pending: number
}

/** Returns null when the subscriber changed since the checks. */
async function keep(
  ctx: CallContext,
  tx: Database,
  input: GivenSubscriber,
  { known, asker, words }: Checked & Pick<OptIn, 'words'>,
): Promise<StoredSubscriber | null> {
  const stored = known ? await update(ctx, tx, input, asker) : await insert(ctx, tx, input, asker)
  if (!stored) return null
  // A cleared field need not be defined.
  const used = Object.keys(input.fields).filter((key) => input.fields[key] !== '')
  await defineFields(tx, ctx.workspaceId, used)
  if (input.tags.length > 0) await makeTags(tx, ctx.workspaceId, input.tags)
  const { row, created, needsConfirmation: request } = stored
  const origin = { ...sourceOf(ctx), shown: words, ip: null, userAgent: null }
  if (request && asker)
    await sendConfirmation(ctx, tx, {
      workspaceId: ctx.workspaceId,
      asker,
      ask: { subscriber: row, ...origin },
    })
  if (created && !asker) {
    await insertConsent(tx, ctx.workspaceId, {
      ...{
        id: ctx.makeId(),
        subscriberId: row.id,
        email: row.email,
        act: 'registered',
        messageId: null,
        campaignId: null,
      },
      ...origin,
    })
  }
  await recordManualChange(ctx, tx, {
    act: created ? 'subscriber.added' : 'subscriber.edited',
    id: row.id,
  })
  return {
    ...stored,
    pending: await publishSubscriberChanges(
      tx,
      ctx.workspaceId,
      created ? { created: [row] } : { updated: [row] },
    ),
  }
}

async function insert(
  ctx: CallContext,
  tx: Database,
  input: GivenSubscriber,
  asker: Asker | null,
): Promise<Omit<StoredSubscriber, 'pending'> | null> {
  const row = await insertSubscriber(tx, ctx.workspaceId, {
    id: ctx.makeId(),
    email: input.email,
    status: asker ? 'pending' : 'subscribed',
    confirmation: asker !== null,
    firstName: input.firstName || null,
    lastName: input.lastName || null,
    tags: input.tags,
    fields: Object.fromEntries(Object.entries(input.fields).filter(([, value]) => value !== '')),
    source: sourceOf(ctx).source,
  })
  return row && { row, created: true, needsConfirmation: asker !== null }
}

async function update(
  ctx: CallContext,
  tx: Database,
  input: GivenSubscriber,
  asker: Asker | null,
): Promise<Omit<StoredSubscriber, 'pending'> | null> {
  const row = await updateSubscriber(tx, ctx.workspaceId, {
    email: input.email,
    firstName: input.firstName === '' ? null : input.firstName,
    lastName: input.lastName === '' ? null : input.lastName,
    tags: input.tags,
    fields: input.fields,
    askAfterSeconds: asker && confirmAgainAfterSeconds,
  })
  if (row) refuseTagsLeftOut(input.tags, row.tags)
  return row && { row, created: false, needsConfirmation: row.asks }
}

async function answer(
  ctx: CallContext,
  { row, created, needsConfirmation: request, pending }: StoredSubscriber,
): Promise<{ status?: 200; body: SubscriberResult }> {
  if (request) ctx.wake('transactional')
  ctx.wake('subscribers')
  if (pending > 0) ctx.wake('webhook')
  // A call that suppressed the address at the same moment may not have seen the new subscriber.
  if (created) await followSuppression(ctx, { workspaceId: ctx.workspaceId, email: row.email })
  return {
    ...(!created && { status: 200 }),
    body: { ...presentSubscriber(row), created, confirmation_sent: request },
  }
}
