/**
 * Determines the host that passkeys are bound to: the base address's (Web Authentication, "relying
 * party identifier"), which must be a name.
 */
import type { Context } from '../context.ts'

/** A loopback address is replaced by a name that passkeys accept. */
const loopback = /^(?:127(?:\.\d+){3}|\[::1\])$/

export const passkeyHost = (ctx: Pick<Context, 'settings'>): string => placeOf(ctx).hostname

/** The origin that a browser must be at for its passkeys to count. */
export const passkeyOrigin = (ctx: Pick<Context, 'settings'>): string => placeOf(ctx).origin

const placeOf = ({ settings }: Pick<Context, 'settings'>): URL =>
  new URL(atPasskeyHost(settings.baseUrl))

/** The same address with that name in place of a loopback number. */
export function atPasskeyHost(address: string): string {
  const url = new URL(address)
  if (loopback.test(url.hostname)) url.hostname = 'localhost'
  return url.href
}
