/** GET /subscribers/{email}/export: everything that the workspace knows about one address. */
import { existing } from '../../../contract/errors.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { findContact } from './find-contact.ts'
import { readContactExport } from './read-contact-export.ts'
import type { Verb } from '../../verb.ts'

export const exportSubscriber: Verb<'exportSubscriber'> = async (ctx, { params }) => {
  const { email } = await findContact(ctx, params.email)
  const known = await readContactExport(ctx.db, { workspaceId: ctx.workspaceId, email }, (tx) =>
    recordAuditEntry(tx, ctx, { act: 'person.exported', subject: email }),
  )
  return { body: existing(known, { email: params.email }) }
}
