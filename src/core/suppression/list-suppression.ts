/** GET /suppression: the suppression list, newest first, or the entries of one address. */
import { parseMailbox } from '../../ground/address.ts'
import { suppressionPage, suppressionsOf } from '../../db/suppression/suppressions.ts'
import { askedPage, byCreation, pageOf } from '../input/cursor.ts'
import { shapeError } from '../input/shape-error.ts'
import { presentSuppression } from '../presentation/present-suppression.ts'
import type { Verb } from '../verb.ts'

export const listSuppression: Verb<'listSuppression'> = async (ctx, { query }) => {
  const address = query.email === undefined ? null : readAddressKey(query.email, 'email')
  const page = askedPage(query, [ctx.workspaceId, 'suppression', address])
  if (address) {
    // One address has at most two entries, so there is no next page.
    const entries = await suppressionsOf(ctx.db, ctx.workspaceId, [address])
    return {
      body: {
        object: 'list',
        data: entries.map(presentSuppression),
        has_more: false,
        next_cursor: '',
      },
    }
  }
  const rows = await suppressionPage(ctx.db, ctx.workspaceId, page)
  return { body: pageOf(rows, { ...page, place: byCreation, show: presentSuppression }) }
}

/**
 * Parses one address to the form that the list stores; throws `validation_error` for anything else.
 */
export function readAddressKey(text: string, path: string): string {
  const read = parseMailbox(text)
  if ('rule' in read) throw shapeError([{ ...read, path, rule: `address.${read.rule}` }])
  if (read.name !== null) throw shapeError([{ path, rule: 'address.name' }])
  return read.key
}
