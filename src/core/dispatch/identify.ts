/** Identifies and authorizes the caller of a request: key, then permission, then rate. */
import { ApiError } from '../../contract/errors.ts'
import { operations } from '../../contract/operations.ts'
import type { Scope } from '../../contract/scopes.ts'
import { recordKeyUse } from '../../db/workspaces/api-keys.ts'
import { giveBackRequests } from '../../db/workspaces/request-rates.ts'
import { ofWorkspace } from '../cells.ts'
import { networkOf } from '../network-of.ts'
import type { Context, Service } from '../context.ts'
import {
  noSuchAddress,
  rateExceeded,
  addRateHeaders,
  type Answer,
  type Call,
  type KnownCaller,
} from './call.ts'
import type { CountRequest } from './count-request.ts'
import type { CountedRequest } from './prefetched-quota.ts'
import { readCredentials } from '../read-key.ts'

/** A request that needs a permission; null: any key will do. */
interface Wish extends Pick<Call, 'headers' | 'address' | 'unknown'> {
  scope: Scope | null
  /** Null: no operation has its address; a caller without a key learns that first. */
  operation?: Call['operation']
}

/**
 * Looks up the key, counts the request and sets the rate headers. A request without a valid key
 * counts by address, and is refused.
 */
export async function identify(
  ctx: Service,
  countRequest: CountRequest,
  wish: Wish,
  answer: Answer,
): Promise<KnownCaller> {
  const { headers, address, scope, operation } = wish
  const credentials = readCredentials(headers)
  if (credentials.kind !== 'key') {
    await countByAddress(countRequest, { address }, answer)
    if (operation === null) throw noSuchAddress(wish)
    throw new ApiError(credentials.kind === 'none' ? 'missing_api_key' : 'invalid_api_key')
  }
  const { workspaceId, digest } = credentials
  const counted = await countRequest(workspaceId, { digest, scope })
  const { keyId, revoked, expired, expiresAt } = counted.caller
  if (keyId !== null) Object.assign(answer, { workspaceId, keyId })
  if (keyId === null || revoked || expired) {
    await countByAddress(countRequest, { address }, answer)
    if (operation === null) throw noSuchAddress(wish)
    if (revoked) throw new ApiError('revoked_api_key')
    if (expired) throw new ApiError('revoked_api_key', { reason: 'expired', expired_at: expiresAt })
    throw new ApiError('invalid_api_key')
  }
  addRateHeaders(answer, counted.rate)
  if (counted.rate.passes && counted.caller.lastUseStale)
    recordUse(await ofWorkspace(ctx, workspaceId), workspaceId, keyId)
  return { workspaceId, counted }
}

/** Throws when the key lacks the permission, then when it exceeds the rate. */
export function authorizeCaller({ caller, rate }: CountedRequest, scope: Scope | null): void {
  if (scope !== null && !caller.scopes.includes(scope)) {
    throw new ApiError('insufficient_scope', { required: scope, scopes: caller.scopes })
  }
  if (!rate.passes) throw rateExceeded(rate)
}

/**
 * Authorizes a caller that was counted before the operation was known. A call without the
 * permission does not count, so its permit goes back.
 */
export async function authorizeKnownCaller(
  ctx: Service,
  call: Call,
  { workspaceId, counted }: KnownCaller,
  answer: Answer,
): Promise<CountedRequest> {
  const { caller, rate } = counted
  const scope = call.operation && operations[call.operation].scope
  const needed = scope === 'none' ? null : scope
  const goesBack = needed !== null && !caller.scopes.includes(needed) && rate.passes
  Object.assign(answer, { workspaceId, keyId: caller.keyId })
  addRateHeaders(answer, goesBack ? { ...rate, remaining: rate.remaining + 1 } : rate)
  if (goesBack && caller.bucket !== null) {
    const { countingDb } = await ofWorkspace(ctx, workspaceId)
    await giveBackRequests(countingDb, workspaceId, caller.bucket, caller.now, 1)
  }
  authorizeCaller(counted, needed)
  return counted
}

/**
 * Counts a call without a valid key by its network, so that no household of IPv6 has more than one
 * rate; throws `rate_limit_exceeded`.
 */
export async function countByAddress(
  countRequest: CountRequest,
  call: Pick<Call, 'address'>,
  answer: Answer,
): Promise<void> {
  const { address } = call
  const bucket = address.includes(':') ? networkOf(address) : address
  const { rate } = await countRequest(0, { address: bucket })
  addRateHeaders(answer, rate)
  if (!rate.passes) throw rateExceeded(rate)
}

/** Stores a key's last use, to the minute, without delaying the call. */
function recordUse(ctx: Context, workspaceId: number, keyId: string): void {
  recordKeyUse(ctx.countingDb, workspaceId, keyId).catch((error: unknown) =>
    ctx.log.warn(
      { err: error },
      'The last use of a key was not recorded; its next call records it',
    ),
  )
}
