/**
 * GET /contacts/{who}: everything that a workspace knows about one contact, and why they can or
 * cannot be mailed.
 */
import { ApiError } from '../../../contract/errors.ts'
import {
  campaignNames,
  contactMailPage,
  type ContactPageOptions,
} from '../../../db/audience/contact-pages.ts'
import {
  consentsOfAddress,
  importRefusalsOf,
  signUpsOfAddress,
  type KnownConsent,
} from '../../../db/audience/contacts.ts'
import { suppressionsOf } from '../../../db/suppression/suppressions.ts'
import type { CallContext } from '../../context.ts'
import { subscriberDetail } from '../subscribers/subscriber-detail.ts'
import { presentSuppression } from '../../presentation/present-suppression.ts'
import { consentActOf } from './consent-act.ts'
import { findContact } from './find-contact.ts'
import { lastEngagement } from './present-contact.ts'
import { checkMailable } from './check-mailable.ts'
import type { Verb } from '../../verb.ts'

export const getContact: Verb<'getContact'> = async (ctx, { params }) => {
  const { db, workspaceId } = ctx
  const contact = await findContact(ctx, params.who)
  const { email, subscriber } = contact
  const anyMail: ContactPageOptions = {
    email,
    subscriberId: subscriber?.id ?? null,
    before: null,
    max: 1,
  }
  const [suppression, consents, signUps, refusals, mails, mailable, last] = await Promise.all([
    suppressionsOf(db, workspaceId, [email]),
    consentsOfAddress(db, workspaceId, email),
    signUpsOfAddress(db, workspaceId, email),
    importRefusalsOf(db, workspaceId, email),
    contactMailPage(db, workspaceId, anyMail),
    checkMailable(ctx, { workspaceId, ...contact }),
    lastEngagement(db, workspaceId, anyMail.subscriberId),
  ])
  if (
    !subscriber &&
    [suppression, consents, signUps, refusals, mails].every((rows) => rows.length === 0)
  )
    throw new ApiError('not_found', { email })
  return {
    body: {
      object: 'contact',
      email,
      subscriber: subscriber && (await subscriberDetail(ctx, { workspaceId, row: subscriber })),
      last_engagement: last,
      suppression: suppression.map(presentSuppression),
      consents: await showConsents(ctx, consents),
      sign_ups: signUps.length,
      import_refusals: refusals,
      mailable,
    },
  }
}

async function showConsents({ db, workspaceId }: CallContext, consents: KnownConsent[]) {
  const ids = consents.flatMap(({ campaign_id: id }) => (id === null ? [] : [id]))
  const names =
    ids.length === 0 ? new Map<string, string>() : await campaignNames(db, workspaceId, ids)
  return consents.map(({ campaign_id: id, act, at, ...consent }) => ({
    ...consent,
    act: consentActOf(act),
    at: new Date(at).toISOString(),
    campaign: id === null ? null : { id, name: names.get(id) ?? '' },
  }))
}
