/** POST /subscribers/{email}/erase: erases a contact by a key that has the permission of its own. */
import { findContact } from './find-contact.ts'
import { forgetKnown } from './forget-contact.ts'
import type { Verb } from '../../verb.ts'

export const eraseSubscriber: Verb<'eraseSubscriber'> = async (ctx, { params }) => {
  const { email } = await findContact(ctx, params.email)
  return { body: { object: 'contact', erased: true, kept: await forgetKnown(ctx, email) } }
}
