/** The link that makes the installation's first person: printed at each start until somebody has used one. */
import { isAnybodyThere } from '../../db/people.ts'
import type { Context } from '../context.ts'
import { atPasskeyHost } from './passkey-host.ts'
import { makePersonLink } from './person-link.ts'

/** Null: there is somebody already. The link leads to where a browser takes passkeys, which the page offers. */
export async function prepareSetUp(
  ctx: Pick<Context, 'db' | 'makeId' | 'settings'>,
): Promise<{ id: string; url: string } | null> {
  if (await isAnybodyThere(ctx.db)) return null
  const { id, url } = await makePersonLink(ctx, ctx.db, { purpose: 'set_up' })
  return { id, url: atPasskeyHost(url) }
}
