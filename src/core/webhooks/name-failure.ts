/** Names a failed attempt's reason by one code, which pages translate. */
import type { Failure, FailureKind } from '../../contract/workspace/webhooks.ts'
import { lostError } from '../../db/webhooks/webhook-claims.ts'
import { kindOfUnfinished, refusals, stoppedError } from './attempt-delivery.ts'

/** Returns null when it did not fail. */
export function nameFailure({
  error,
  status,
}: {
  error: string | null
  status: number | null
}): Failure | null {
  return error === null ? null : { kind: kindOf(error, status), status, error }
}

function kindOf(error: string, status: number | null): FailureKind {
  const whole = ownWords[error]
  if (whole) return whole
  const unfinished = kindOfUnfinished(error)
  if (unfinished) return unfinished
  const code = /\(([A-Z_]+)\)$|^([A-Z][A-Z0-9_]+)$/.exec(error)
  const named = code ? systemCodes[code[1] ?? code[2] ?? ''] : undefined
  if (named) return named
  if (/^(?:CERT|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)_/.test(error)) return 'tls'
  if (status === null || !error.startsWith('answered ')) return 'other'
  return status >= 300 && status < 400 ? 'redirected' : 'answered'
}

const ownWords: Record<string, FailureKind> = {
  [refusals.scheme]: 'scheme',
  [refusals.credentials]: 'credentials',
  [refusals.address]: 'address',
  [refusals.plain_http]: 'plain_http',
  [stoppedError]: 'stopped',
  [lostError]: 'lost',
}

const systemCodes: Record<string, FailureKind> = {
  ETIMEDOUT: 'timeout',
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EPROTO: 'tls',
}
