/** Reads everything that the workspace knows about one address, in the shape of its export. */
import type { AnswerOf } from '../../../contract/operations.ts'
import { limits } from '../../../contract/limits.ts'
import type { Connection } from '../../../database/client/connect.ts'
import type { Database } from '../../../database/client/database.ts'
import { readOneMoment } from '../../../database/client/read-one-moment.ts'
import { presentContact } from './present-contact.ts'

export type ExportedContact = AnswerOf<'exportSubscriber'>['body']

const max = limits.contactExportMax

/**
 * All of one moment. `email` is the lower-cased address. `inSameTransaction` writes beside the
 * reading. Null when nothing is known.
 */
export async function readContactExport(
  db: Connection,
  { workspaceId, email }: { workspaceId: number; email: string },
  inSameTransaction: (tx: Database) => Promise<void> = () => Promise.resolve(),
): Promise<ExportedContact | null> {
  const known = await db.transaction(async (tx) => {
    await readOneMoment(tx)
    // One more than is shown: it says that there are more.
    const contact = await presentContact({ db: tx }, { workspaceId, email, max: max + 1 })
    if (contact !== null) await inSameTransaction(tx)
    return contact
  })
  return known && present(known)
}

function present({
  requests,
  ...contact
}: NonNullable<Awaited<ReturnType<typeof presentContact>>>): ExportedContact {
  const lists = [
    contact.consents,
    contact.import_refusals,
    contact.emails,
    contact.campaigns,
    requests,
  ]
  return {
    object: 'contact',
    ...contact,
    consents: first(contact.consents),
    sign_ups: first(contact.sign_ups),
    import_refusals: first(contact.import_refusals),
    emails: first(contact.emails),
    campaigns: first(contact.campaigns),
    engagement: first(requests),
    complete: lists.every(({ length }) => length <= max),
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
