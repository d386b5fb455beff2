/** Time limits of the phases of an SMTP conversation, in milliseconds (RFC 5321 4.5.3.2). */
export interface Timeouts {
  /** Connecting; RFC 5321 names none, and a dead host should be known soon. */
  dial: number
  /** The 220 greeting (4.5.3.2.1). */
  greet: number
  /** EHLO, HELO, STARTTLS, each step of AUTH, RSET. */
  ehlo: number
  /** The TLS handshake. */
  tls: number
  /** MAIL (4.5.3.2.2). */
  mail: number
  /** RCPT (4.5.3.2.3). */
  rcpt: number
  /** DATA until 354 (4.5.3.2.4). */
  data: number
  /** Each block of the content that the peer takes (4.5.3.2.5). */
  block: number
  /** The reply to the final dot (4.5.3.2.6). Shorter ones make duplicates: the peer may have taken the message. */
  dot: number
  /** The reply to QUIT; nothing depends on it. */
  quit: number
}

const MINUTE = 60_000

export const rfcTimeouts: Timeouts = {
  dial: 30_000,
  greet: 5 * MINUTE,
  ehlo: 5 * MINUTE,
  tls: MINUTE,
  mail: 5 * MINUTE,
  rcpt: 5 * MINUTE,
  data: 2 * MINUTE,
  block: 3 * MINUTE,
  dot: 10 * MINUTE,
  quit: 5_000,
}
