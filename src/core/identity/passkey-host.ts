/** The host that passkeys are bound to: the base address's (Web Authentication, "relying party identifier"), which must be a name. */
import type { Context } from '../context.ts'

/** An address of this machine has a name that passkeys take. */
const loopback = /^(?:127(?:\.\d+){3}|\[::1\])$/

export const passkeyHost = (ctx: Pick<Context, 'settings'>): string => placeOf(ctx).hostname

/** Where a browser has to be for its passkeys to count. */
export const passkeyOrigin = (ctx: Pick<Context, 'settings'>): string => placeOf(ctx).origin

const placeOf = ({ settings }: Pick<Context, 'settings'>): URL => new URL(atPasskeyHost(settings.baseUrl))

/** The same address under the name, where it is a number of this machine. */
export function atPasskeyHost(address: string): string {
  const url = new URL(address)
  if (loopback.test(url.hostname)) url.hostname = 'localhost'
  return url.href
}
