/**
 * Keeps programs away from captured mails where mail of the workspace is delivered for real: there,
 * a key must not read what its recipients get.
 */
import { ApiError } from '../../contract/errors.ts'
import type { CallContext } from '../context.ts'

/** Throws `not_found`. Users and the operator read what was captured before, on their pages. */
export function refuseUnlessCapturing({
  providers,
  workspaceId,
  user,
  operator,
}: Pick<CallContext, 'providers' | 'workspaceId' | 'user' | 'operator'>): void {
  if (user === null && !operator && !providers.of(workspaceId).captures)
    throw new ApiError('not_found', { reason: 'not_capturing' })
}
