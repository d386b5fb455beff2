/** The phases of an SMTP conversation, as outcomes name them. */

/** How far a conversation went. Only `dot` without a reply leaves doubt. */
export type SmtpPhase =
  | 'dial'
  | 'greet'
  | 'ehlo'
  | 'tls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'dot'
  | 'replied'

/** The steps before MAIL: a failure in them concerns the peer or the network, not a message. */
export const openingPhases: ReadonlySet<string> = new Set<SmtpPhase>([
  'dial',
  'greet',
  'ehlo',
  'tls',
  'auth',
])
