/** What a caller says of a webhook, judged as far as it can be before anything is called (semantics 4: Webhook). */
import { limits } from '../../contract/limits.ts'
import type { Context } from '../context.ts'
import { shapeError } from '../input/validate-shape.ts'

/** The URL as it is called; throws `validation_error` for one that never would be. */
export function readUrl(ctx: Pick<Context, 'outbound'>, text: string): URL {
  const judged = validateWebhookUrl(ctx, text)
  if ('url' in judged) return judged.url
  throw shapeError([{ path: 'url', rule: judged.refusal === 'uri' ? 'uri' : `url.${judged.refusal}` }])
}

type UrlRefusal = 'uri' | NonNullable<ReturnType<Context['outbound']['judge']>>

/** The URL as it is called, or why it never would be. Names are judged as they are looked up. */
export function validateWebhookUrl(
  { outbound }: Pick<Context, 'outbound'>,
  text: string,
): { url: URL } | { refusal: UrlRefusal } {
  const url = URL.parse(text)
  if (!url || url.hostname === '') return { refusal: 'uri' }
  const refusal = outbound.judge(url)
  if (refusal) return { refusal }
  url.hash = ''
  return { url }
}

/** A name without control characters; the host where there is none. */
export function readWebhookName(text: string | undefined, url: URL): string {
  if (text === undefined || text.trim() === '') return url.host.slice(0, limits.webhookNameMax)
  if (/\p{Cc}/u.test(text)) throw shapeError([{ path: 'name', rule: 'control_character' }])
  return text
}
