/** GET /persons/{who}: what a workspace knows of one person, and why they can or cannot be mailed. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { campaignNames } from '../../db/person-pages.ts'
import type { PersonPage } from '../../db/person-pages.ts'
import { personMailPage } from '../../db/person-pages.ts'
import { consentsOfAddress, importRefusalsOf, signUpsOfAddress } from '../../db/persons.ts'
import type { KnownConsent } from '../../db/persons.ts'
import { suppressionsOf } from '../../db/suppressions.ts'
import type { CallContext } from '../context.ts'
import { showSubscriber } from '../subscribers/show-subscriber.ts'
import { showSuppression } from '../suppression/show-suppression.ts'
import { findPerson } from './find-person.ts'
import { judgeMailable } from './judge-mailable.ts'

export async function getPerson(ctx: CallContext, { params }: InputOf<'getPerson'>): Promise<AnswerOf<'getPerson'>> {
  const { db, workspaceId } = ctx
  const found = await findPerson(ctx, params.who)
  const { email, subscriber } = found
  const anyMail: PersonPage = { email, subscriberId: subscriber?.id ?? null, before: null, most: 1 }
  const [suppression, consents, signUps, refusals, mails, mailable] = await Promise.all([
    suppressionsOf(db, workspaceId, [email]),
    consentsOfAddress(db, workspaceId, email),
    signUpsOfAddress(db, workspaceId, email),
    importRefusalsOf(db, workspaceId, email),
    personMailPage(db, workspaceId, anyMail),
    judgeMailable(ctx, workspaceId, found),
  ])
  if (!subscriber && [suppression, consents, signUps, refusals, mails].every((rows) => rows.length === 0))
    throw new ApiError('not_found', { email })
  return {
    body: {
      object: 'person',
      email,
      subscriber: subscriber && showSubscriber(subscriber),
      suppression: suppression.map(showSuppression),
      consents: await showConsents(ctx, consents),
      sign_ups: signUps.length,
      import_refusals: refusals,
      mailable,
    },
  }
}

async function showConsents({ db, workspaceId }: CallContext, consents: KnownConsent[]) {
  const ids = consents.flatMap(({ campaign_id: id }) => (id === null ? [] : [id]))
  const names = ids.length === 0 ? new Map<string, string>() : await campaignNames(db, workspaceId, ids)
  return consents.map(({ campaign_id: id, act, at, ...consent }) => ({
    ...consent,
    act: actOf(act),
    at: new Date(at).toISOString(),
    campaign: id === null ? null : { id, name: names.get(id) ?? '' },
  }))
}

const known = ['asked', 'confirmed', 'registered', 'unsubscribed'] as const

/** The table's own check leaves no other. */
function actOf(act: string): (typeof known)[number] {
  const found = known.find((one) => one === act)
  if (!found) throw new Error(`Consent of an unknown kind: ${act}`)
  return found
}
