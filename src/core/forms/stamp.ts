/** The stamp of a form that was shown: signed, so that a POST without one, or too soon after it, is not taken for a person's. */
import type { LinkTokens } from '../../link-tokens.ts'

/** Nobody reads a form and fills it in faster. */
const fillMsMin = 2_000
/** A page that was left open overnight is asked for its button again. */
const lifeMs = 24 * 3600_000

/** `nowMs`: the database's time, in milliseconds since 1970. */
export function makeStamp(linkTokens: LinkTokens, form: { workspaceId: number; id: string }, nowMs: number): string {
  return linkTokens.make('form', { workspaceId: form.workspaceId, first: form.id, second: timeAsId(nowMs) })
}

/** `quick`: genuine, and the same one will do in a moment. */
export function judgeStamp(
  linkTokens: LinkTokens,
  form: { workspaceId: number; id: string },
  { stamp, nowMs }: { stamp: string; nowMs: number },
): 'good' | 'quick' | 'none' {
  const read = linkTokens.read('form', stamp)
  if (!read || read.workspaceId !== form.workspaceId || read.first !== form.id) return 'none'
  const age = nowMs - Number.parseInt(read.second.replaceAll('-', '').slice(0, 12), 16)
  return age > lifeMs ? 'none' : age < fillMsMin ? 'quick' : 'good'
}

/** The first 48 bits of a UUID are milliseconds, as in version 7; the rest is nothing here. */
function timeAsId(ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}
