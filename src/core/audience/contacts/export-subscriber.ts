/** GET /subscribers/{email}/export: everything that the workspace knows about one address. */
import { existing } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import { readOneMoment } from '../../../database/client/read-one-moment.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { findContact } from './find-contact.ts'
import { presentContact } from './present-contact.ts'
import type { Verb } from '../../verb.ts'

const max = limits.contactExportMax

export const exportSubscriber: Verb<'exportSubscriber'> = async (ctx, { params }) => {
  const { db, workspaceId } = ctx
  const { email } = await findContact(ctx, params.email)
  const { requests, ...contact } = await db.transaction(async (tx) => {
    await readOneMoment(tx)
    // One more than is shown: it says that there are more.
    const known = await presentContact({ db: tx }, { workspaceId, email, max: max + 1 })
    await recordAuditEntry(tx, ctx, { act: 'person.exported', subject: email })
    return existing(known, { email: params.email })
  })
  const lists = [
    contact.consents,
    contact.import_refusals,
    contact.emails,
    contact.campaigns,
    requests,
  ]
  return {
    body: {
      object: 'contact',
      ...contact,
      consents: first(contact.consents),
      sign_ups: first(contact.sign_ups),
      import_refusals: first(contact.import_refusals),
      emails: first(contact.emails),
      campaigns: first(contact.campaigns),
      engagement: first(requests),
      complete: lists.every(({ length }) => length <= max),
    },
  }
}

const first = <Row extends object>(rows: Row[]): Row[] => rows.slice(0, max).map(inUtc)

/** Times as the API writes them: those of the database's JSON have an offset. */
function inUtc<Row extends object>(row: Row): Row {
  const times = Object.entries(row).flatMap(([name, value]) =>
    /^at$|_at$/.test(name) && typeof value === 'string'
      ? [[name, new Date(value).toISOString()]]
      : [],
  )
  return { ...row, ...Object.fromEntries(times) }
}
