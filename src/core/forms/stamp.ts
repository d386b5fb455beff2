/**
 * Stamps a form that was shown: a signed token that a POST needs, and that is too new until a human
 * could have typed.
 */
import type { LinkTokens } from '../../ground/link-tokens.ts'
import type { RowKey } from '../context.ts'

/**
 * A program must wait this long for each form that it reads; a faster visitor waits for the rest of
 * it.
 */
export const fillMsMin = 2_000
/** A page that was left open overnight must be submitted again. */
const lifeMs = 24 * 3600_000

/** `nowMs`: the database's time, in milliseconds since 1970. */
export function makeStamp(linkTokens: LinkTokens, form: RowKey, nowMs: number): string {
  return linkTokens.make('form', {
    workspaceId: form.workspaceId,
    first: form.id,
    second: timeAsId(nowMs),
  })
}

/**
 * Milliseconds left of the form's minimum fill time: 0 once it is over. Null if the stamp is not
 * valid for this form.
 */
export function remainingFillMs(
  linkTokens: LinkTokens,
  form: RowKey,
  { stamp, nowMs }: { stamp: string; nowMs: number },
): number | null {
  const read = linkTokens.read('form', stamp)
  if (!read || read.workspaceId !== form.workspaceId || read.first !== form.id) return null
  const age = nowMs - Number.parseInt(read.second.replaceAll('-', '').slice(0, 12), 16)
  return age > lifeMs ? null : Math.min(fillMsMin, Math.max(0, fillMsMin - age))
}

/** The first 48 bits of a UUID are milliseconds, as in version 7; the rest is zero. */
function timeAsId(ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}
