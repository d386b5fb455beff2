/**
 * Counts how encryption went with the domains that mail goes to, by the words of RFC 8460 4.3: what
 * a report of such a domain would say of us, known here before. Counts are stored every few
 * seconds, for all processes together.
 */
import type { Clock } from '../../ground/clock.ts'
import type { Database } from '../../database/client/database.ts'
import { storeTlsResults, type TlsResultRow } from '../../db/sending/tls-results.ts'

export type TlsPolicy = 'tlsa' | 'sts' | 'no-policy-found'

export type TlsResult =
  | 'success'
  | 'starttls-not-supported'
  | 'certificate-host-mismatch'
  | 'certificate-expired'
  | 'certificate-not-trusted'
  | 'validation-failure'
  | 'dnssec-invalid'
  | 'sts-policy-fetch-error'
  | 'sts-policy-invalid'
  | 'sts-webpki-invalid'

export interface TlsSeen {
  /** The recipients' domain. */
  domain: string
  policy: TlsPolicy
  result: TlsResult
}

export type CountTls = (tls: TlsSeen) => void

interface Parts {
  countingDb: Database
  clock: Clock
  log: { warn(fields: object, message: string): void }
}

const storeEveryMs = 5_000
/** Lines between two stores. Further ones are one line, of no domain. */
const linesMax = 5_000

export function createCountTls({ countingDb: db, clock, log }: Parts): CountTls {
  let lines = new Map<string, TlsResultRow>()
  let isPlanned = false
  const store = async (): Promise<void> => {
    await clock.sleep(storeEveryMs)
    isPlanned = false
    const rows = [...lines.values()]
    lines = new Map()
    await storeTlsResults(db, rows)
  }
  return (tls) => {
    const isNew = !lines.has(keyOf(tls))
    const counted = isNew && lines.size >= linesMax ? { ...tls, domain: '' } : tls
    const line = lines.get(keyOf(counted)) ?? { ...counted, sessions: 0 }
    line.sessions++
    lines.set(keyOf(counted), line)
    if (isPlanned) return
    isPlanned = true
    store().catch((error: unknown) =>
      log.warn({ err: error }, 'How encryption went with mail hosts was not counted'),
    )
  }
}

const keyOf = ({ domain, policy, result }: TlsSeen): string => `${domain} ${policy} ${result}`

/** By the code of the error that ended the opening of a session. */
export function resultOf(cause: string | undefined): TlsResult {
  if (cause === 'NO_STARTTLS') return 'starttls-not-supported'
  if (cause === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'certificate-host-mismatch'
  if (cause === 'CERT_HAS_EXPIRED') return 'certificate-expired'
  return cause !== undefined && untrusted.test(cause)
    ? 'certificate-not-trusted'
    : 'validation-failure'
}

/** Of OpenSSL, as Node names them. */
const untrusted =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_UNTRUSTED|INVALID_CA)$/
