/** Validates a caller's webhook as far as possible without a call (semantics 4: Webhook). */
import { limits } from '../../contract/limits.ts'
import type { Context } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'

/** Returns the normalized URL; throws `validation_error` for one that would never be called. */
export function readUrl(ctx: Pick<Context, 'outbound'>, text: string): URL {
  const checked = validateWebhookUrl(ctx, text)
  if ('url' in checked) return checked.url
  throw shapeError([
    { path: 'url', rule: checked.refusal === 'uri' ? 'uri' : `url.${checked.refusal}` },
  ])
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
