/** Everything that a workspace knows about one address. */
import {
  campaignMailsTo,
  consentsOfAddress,
  importRefusalsOf,
  messagesToAddress,
  signUpsOfAddress,
  visitsOfPerson,
} from '../../db/persons.ts'
import { subscriberByEmail } from '../../db/subscribers.ts'
import { suppressionsOf } from '../../db/suppressions.ts'
import type { Context } from '../context.ts'
import { showSubscriber } from '../subscribers/show-subscriber.ts'
import { showSuppression } from '../suppression/show-suppression.ts'

/** `email` is the lower-cased address. Null when nothing is known. */
export async function showPerson(ctx: Pick<Context, 'db'>, workspaceId: number, email: string) {
  const { db } = ctx
  const subscriber = await subscriberByEmail(db, workspaceId, email)
  const subscriberId = subscriber?.id ?? null
  const known = {
    email,
    subscriber: subscriber && showSubscriber(subscriber),
    suppression: (await suppressionsOf(db, workspaceId, [email])).map(showSuppression),
    consents: await consentsOfAddress(db, workspaceId, email),
    sign_ups: await signUpsOfAddress(db, workspaceId, email),
    import_refusals: await importRefusalsOf(db, workspaceId, email),
    emails: await messagesToAddress(db, workspaceId, email),
    campaigns: subscriberId === null ? [] : await campaignMailsTo(db, workspaceId, subscriberId),
    visits: await visitsOfPerson(db, workspaceId, { email, subscriberId }),
  }
  const { suppression, consents, sign_ups: signUps, import_refusals: refusals, emails } = known
  const isKnown = subscriber !== null || [suppression, consents, signUps, refusals, emails].some((rows) => rows.length > 0)
  return isKnown ? known : null
}
