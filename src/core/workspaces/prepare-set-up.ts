/**
 * Makes the link that creates the installation's first user: printed at each start until one was
 * used.
 */
import { isAnybodyThere } from '../../db/users/users.ts'
import type { Context } from '../context.ts'
import { atPasskeyHost } from '../identity/passkey-host.ts'
import { makeUserLink } from '../identity/user-link.ts'

/**
 * Returns null when a user exists. The link leads to an origin where browsers accept passkeys,
 * which the page offers.
 */
export async function prepareSetUp(
  ctx: Pick<Context, 'db' | 'makeId' | 'settings'>,
): Promise<{ id: string; url: string } | null> {
  if (await isAnybodyThere(ctx.db)) return null
  const { id, url } = await makeUserLink(ctx, ctx.db, { purpose: 'set_up' })
  return { id, url: atPasskeyHost(url) }
}
