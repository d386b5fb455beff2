/** What the submission ports are given. */
import type { Intake } from '../../core/intake.ts'
import type { TakingParts } from './take-mail.ts'

/** In PEM. */
export interface Certificate {
  key: string
  cert: string
}

export interface SubmissionOptions {
  host: string
  /** Our name in the greeting. */
  name: string
  /**
   * Without TLS, or with STARTTLS where there is a certificate. Null if there is none. 0: any free
   * port.
   */
  port: number | null
  /** With TLS from the first byte (RFC 8314 3.3). Null if there is none. */
  tlsPort: number | null
  tls: Certificate | null
  /** Why nothing new is accepted now. */
  intake: Intake
  /** Counts the end of each mail and each refused login, for metrics. */
  ends: TakingParts['ends']
  /** Bytes of all mails that are being taken. Absent means by the memory of the process. */
  bufferedBytesMax?: number
}
