/** Where programs hand mail in by SMTP: what the settings say, and what they leave open. */
import type { Config } from '../ground/config.ts'
import { leadsHere } from '../ground/is-loopback.ts'

export interface SubmissionPorts {
  host: string
  /** Without TLS, or with STARTTLS where there is a certificate. Null means off. */
  port: number | null
  /** With TLS from the first byte. Null means off. */
  tlsPort: number | null
  /** The settings name no port, so that a start goes on without one that is taken. */
  isDefault: boolean
}

/**
 * A certificate opens the ports of RFC 8314 3.3 and RFC 6409 3.1 to everybody. Without one, a
 * program on this machine finds a port where the base URL is of this machine too: no other may log
 * in without TLS.
 */
export function submissionPorts(
  config: Pick<
    Config,
    'baseUrl' | 'submissionHost' | 'submissionPort' | 'submissionTlsPort' | 'submissionTls'
  >,
): SubmissionPorts {
  const { baseUrl, submissionHost, submissionPort, submissionTlsPort, submissionTls } = config
  const isLocal = leadsHere(baseUrl)
  const [host, port, tlsPort] = submissionTls
    ? ['0.0.0.0', 587, 465]
    : ['127.0.0.1', isLocal ? 2_587 : 0, 0]
  return {
    host: submissionHost ?? host,
    // 0 is off.
    port: (submissionPort ?? port) || null,
    tlsPort: (submissionTlsPort ?? tlsPort) || null,
    isDefault: submissionPort === null && submissionTls === null,
  }
}

/** How a program on another machine or this one reaches the SMTP port; null where it is off. */
export interface SubmissionAddress {
  host: string
  port: number
  tls: 'none' | 'starttls' | 'implicit'
}

/** A port that listens on all addresses is reached by the name of the base URL. */
export function submissionAddress(
  config: Parameters<typeof submissionPorts>[0],
): SubmissionAddress | null {
  const { host: listens, port, tlsPort } = submissionPorts(config)
  const host = isAnyAddress(listens) ? new URL(config.baseUrl).hostname : listens
  if (tlsPort !== null) return { host, port: tlsPort, tls: 'implicit' }
  if (port === null) return null
  return { host, port, tls: config.submissionTls ? 'starttls' : 'none' }
}

const isAnyAddress = (host: string): boolean => host === '0.0.0.0' || host === '::'
