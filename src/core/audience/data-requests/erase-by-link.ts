/**
 * Erases a contact whose address bounced or complained, and who asks for it on their page: nothing is
 * mailed to them by which they could read their data. The address stays suppressed.
 */
import { subscriberById } from '../../../db/audience/subscribers.ts'
import type { LinkSubject } from '../../../ground/link-tokens.ts'
import type { Context } from '../../context.ts'
import { eraseContact } from '../contacts/erase-contact.ts'
import { isWithinDataRate, recordContactAct } from './contact-acts.ts'
import { dataOffer } from './data-offer.ts'

/**
 * `subject` comes from a token with purpose `unsubscribe`. `later`: a mail to the address is leaving
 * now. Null means that nobody is erased: there is no such contact, or they may not do it by a link
 * alone, or their workspace does not allow it.
 */
export async function eraseByLink(
  ctx: Pick<Context, 'db' | 'countingDb' | 'makeId' | 'settings' | 'wake' | 'failpoints'>,
  { subject, ip }: { subject: LinkSubject; ip: string },
): Promise<'erased' | 'later' | 'too_many' | null> {
  const { workspaceId, second: subscriberId } = subject
  if (!(await isWithinDataRate(ctx, { workspaceId, ip }))) return 'too_many'
  const subscriber = await subscriberById(ctx.db, workspaceId, subscriberId)
  if (!subscriber) return null
  const { email } = subscriber
  const offer = await dataOffer(ctx, ctx.db, { workspaceId, email })
  if (offer?.kind !== 'erase') return null
  const { erased } = await eraseContact(ctx, {
    ...{ workspaceId, email },
    // The audit log says that a contact was erased, not which one.
    beside: (tx) => recordContactAct(ctx, tx, { workspaceId, act: 'person.erased', subject: '' }),
  })
  return erased ? 'erased' : 'later'
}
