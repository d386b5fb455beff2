/** Whether a workspace knows anything about an address: a record, a suppression, or mail to it. */
import type { Database } from '../../../database/client/database.ts'
import { hasMailTo } from '../../../db/audience/contacts.ts'
import { presentContact } from './present-contact.ts'

/** `email` is the lower-cased address. */
export const isKnown = async (
  { db, workspaceId }: { db: Database; workspaceId: number },
  email: string,
): Promise<boolean> =>
  (await hasMailTo(db, workspaceId, email)) ||
  (await presentContact({ db }, { workspaceId, email, max: 1 })) !== null
