/** The link that makes the installation's first person: printed at each start until somebody has used one. */
import { isAnybodyThere } from '../../db/people.ts'
import type { Context } from '../context.ts'
import { makePersonLink } from './person-link.ts'

/** Null: there is somebody already. */
export async function prepareSetUp(ctx: Pick<Context, 'db' | 'makeId' | 'settings'>): Promise<string | null> {
  if (await isAnybodyThere(ctx.db)) return null
  const { url } = await makePersonLink(ctx, ctx.db, { purpose: 'set_up' })
  return url
}
