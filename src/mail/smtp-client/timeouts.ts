/** Time limits of the phases of an SMTP conversation, in milliseconds (RFC 5321 4.5.3.2). */
const MINUTE = 60_000

export const rfcTimeouts = {
  /** Connecting; RFC 5321 names none, and a dead host should be known soon. */
  dial: 30_000,
  /** The 220 greeting (4.5.3.2.1). */
  greet: 5 * MINUTE,
  /** EHLO, HELO, STARTTLS, each step of AUTH, RSET. */
  ehlo: 5 * MINUTE,
  /** The TLS handshake. */
  tls: MINUTE,
  /** MAIL (4.5.3.2.2). */
  mail: 5 * MINUTE,
  /** RCPT (4.5.3.2.3). */
  rcpt: 5 * MINUTE,
  /** DATA until 354 (4.5.3.2.4). */
  data: 2 * MINUTE,
  /** Each block of the content that the peer takes (4.5.3.2.5). */
  block: 3 * MINUTE,
  /**
   * The reply to the final dot (4.5.3.2.6). Shorter ones make duplicates: the peer may have taken
   * the message.
   */
  dot: 10 * MINUTE,
  /** The reply to QUIT; nothing depends on it. */
  quit: 5_000,
}

export type Timeouts = typeof rfcTimeouts
