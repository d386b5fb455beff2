/** Identifies and authorizes the caller of a request: key, then permission, then rate. */
import { ApiError } from '../../contract/errors.ts'
import { rateWindowSeconds } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { operations } from '../../contract/operations.ts'
import type { Scope } from '../../contract/scopes.ts'
import { recordKeyUse } from '../../db/workspaces/api-keys.ts'
import { ofWorkspace } from '../databases.ts'
import { networkOf } from '../network-of.ts'
import type { Context, Service } from '../context.ts'
import { noSuchAddress, rateExceeded, type Answer, type Call, type KnownCaller } from './call.ts'
import type { CountRequest, CountedRequest, Rate } from './count-request.ts'
import { readCredentials } from '../read-key.ts'

/**
 * Checks key, scope and rate. Null if the operation needs no key. The rate headers are set whatever
 * happens afterwards.
 */
export async function admitKey(
  ctx: Service,
  countRequest: CountRequest,
  call: Call,
  answer: Answer,
): Promise<CountedRequest | null> {
  const operation: Operation | null = call.operation && operations[call.operation]
  if (operation?.scope === 'none') {
    await countByAddress(countRequest, call, answer)
    return null
  }
  const scope = operation?.scope ?? null
  const { counted } = await identify(ctx, countRequest, { ...call, scope }, answer)
  authorizeCaller(counted, scope)
  return counted
}

/** A request that needs a permission. Null means any key will do. */
interface Wish extends Pick<Call, 'headers' | 'address' | 'unknown'> {
  scope: Scope | null
  /** Null if no operation has its address; a caller without a key learns that first. */
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

/** An answer before anything is known. */
export const newAnswer = (): Answer => ({
  status: 500,
  headers: {},
  body: null,
  code: null,
  workspaceId: null,
  keyId: null,
})

/**
 * Sets the rate headers of an answer:
 * - the specified ones (`X-RateLimit-Reset` is a time)
 * - the names that common SDKs read (`ratelimit-reset` is a delay)
 * - the fields of draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4: the policy, and what
 *   is left under it
 */
export function addRateHeaders(answer: Answer, rate: Rate): void {
  const [limit, remaining, seconds] = [rate.limit, rate.remaining, rate.retryAfter].map(String)
  Object.assign(answer.headers, {
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': remaining,
    'X-RateLimit-Reset': String(rate.resetAt),
    'RateLimit-Limit': limit,
    'RateLimit-Remaining': remaining,
    'RateLimit-Reset': seconds,
    'RateLimit-Policy': `"minute";q=${limit};w=${rateWindowSeconds}`,
    RateLimit: `"minute";r=${remaining};t=${seconds}`,
  })
}
