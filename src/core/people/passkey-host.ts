/** The host that passkeys are bound to: that of the base address (Web Authentication, "relying party identifier"). */
import type { Context } from '../context.ts'

export const passkeyHost = ({ settings }: Pick<Context, 'settings'>): string => new URL(settings.baseUrl).hostname

/** Where a browser has to be for its passkeys to count. */
export const passkeyOrigin = ({ settings }: Pick<Context, 'settings'>): string => new URL(settings.baseUrl).origin
