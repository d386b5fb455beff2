/** Validates a caller's webhook as far as possible without a call (semantics 4: Webhook). */
import { limits } from '../../contract/limits.ts'
import type { WebhookUpdate } from '../../contract/webhooks.ts'
import type { Context } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'

/**
 * Returns the normalized URL, null if neither spelling is there; throws `validation_error` for one
 * that would never be called.
 */
export function readUrl(
  ctx: Pick<Context, 'outbound'>,
  { url, endpoint }: Pick<WebhookUpdate, 'url' | 'endpoint'>,
): URL | null {
  refuseOther(url, endpoint, 'endpoint')
  const text = url ?? endpoint
  if (text === undefined) return null
  const checked = validateWebhookUrl(ctx, text)
  if ('url' in checked) return checked.url
  const path = url === undefined ? 'endpoint' : 'url'
  throw shapeError([{ path, rule: checked.refusal === 'uri' ? 'uri' : `url.${checked.refusal}` }])
}

/** Throws `validation_error` if there is none. */
export function requiredUrl(url: URL | null): URL {
  if (url === null) throw shapeError([{ path: 'url', rule: 'required' }])
  return url
}

/** Null if neither spelling is there. Throws `validation_error` if they differ. */
export function readEnabled({
  enabled,
  status,
}: Pick<WebhookUpdate, 'enabled' | 'status'>): boolean | null {
  const worded = status === undefined ? undefined : status === 'enabled'
  refuseOther(enabled, worded, 'status')
  return enabled ?? worded ?? null
}

/** An alias and its native name may both be given when they say the same (semantics 4). */
function refuseOther<Value>(
  native: Value | undefined,
  alias: Value | undefined,
  path: 'endpoint' | 'status',
): void {
  if (native !== undefined && alias !== undefined && native !== alias)
    throw shapeError([{ path, rule: 'alias_differs' }])
}

type UrlRefusal = 'uri' | NonNullable<ReturnType<Context['outbound']['check']>>

/**
 * Returns the normalized URL, or why it would never be called. Host names are checked when they are
 * resolved.
 */
export function validateWebhookUrl(
  { outbound }: Pick<Context, 'outbound'>,
  text: string,
): { url: URL } | { refusal: UrlRefusal } {
  const url = URL.parse(text)
  if (!url || url.hostname === '') return { refusal: 'uri' }
  const refusal = outbound.check(url)
  if (refusal) return { refusal }
  url.hash = ''
  return { url }
}

/** Returns a name without control characters; the host if there is none. */
export function readWebhookName(text: string | undefined, url: URL): string {
  if (text === undefined || text.trim() === '') return url.host.slice(0, limits.webhookNameMax)
  if (/\p{Cc}/u.test(text)) throw shapeError([{ path: 'name', rule: 'control_character' }])
  return text
}
