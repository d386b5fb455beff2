/** The link that makes the installation's first person: printed at each start until somebody has used one. */
import { isAnybodyThere } from '../../db/users/users.ts'
import type { Context } from '../context.ts'
import { atPasskeyHost } from '../identity/passkey-host.ts'
import { makeUserLink } from '../identity/user-link.ts'

/** Null: there is somebody already. The link leads to where a browser takes passkeys, which the page offers. */
export async function prepareSetUp(
  ctx: Pick<Context, 'db' | 'makeId' | 'settings'>,
): Promise<{ id: string; url: string } | null> {
  if (await isAnybodyThere(ctx.db)) return null
  const { id, url } = await makeUserLink(ctx, ctx.db, { purpose: 'set_up' })
  return { id, url: atPasskeyHost(url) }
}
