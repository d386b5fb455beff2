/** What a caller says of a webhook, judged as far as it can be before anything is called (semantics 4: Webhook). */
import { limits } from '../../contract/limits.ts'
import type { Context } from '../context.ts'
import { shapeError } from '../dispatch/judge-shape.ts'

/** The URL as it is called; throws `validation_error` for one that never would be. Names are judged as they are looked up. */
export function readUrl({ outbound }: Pick<Context, 'outbound'>, text: string): URL {
  const url = URL.parse(text)
  if (!url || url.hostname === '') throw shapeError([{ path: 'url', rule: 'uri' }])
  const refusal = outbound.judge(url)
  if (refusal) throw shapeError([{ path: 'url', rule: `url.${refusal}` }])
  url.hash = ''
  return url
}

/** A name without control characters; the host where there is none. */
export function readName(text: string | undefined, url: URL): string {
  if (text === undefined || text.trim() === '') return url.host.slice(0, limits.webhookNameMax)
  if (/\p{Cc}/u.test(text)) throw shapeError([{ path: 'name', rule: 'control_character' }])
  return text
}
