/**
 * Writes the header lines by which reports on a mail find its sender and its recipient. DKIM signs
 * all of them (mail/signing/dkim.ts), and callers can set none (mail/mime/filter-headers.ts).
 *
 *   CFBL-Address where to send complaints (RFC 9477) CFBL-Feedback-ID which recipient of which
 *   mail: a token of ours, that survives when a report leaves addresses out Feedback-ID the
 *   identifiers by which Gmail counts complaints: up to three, then the sender's own
 */
import { reportAddresses } from './report-addresses.ts'

export interface FeedbackAddress {
  /** The host of the mail's return path. Null if returned mail does not reach us. */
  host: string | null
  /** The domain of From, as A-label. */
  domain: string
}

/**
 * The lines that name one recipient; none where reports do not reach us. `token`: of verp.ts, for
 * `feedback`.
 */
export function complaintHeaders({ host, domain }: FeedbackAddress, token: string): string {
  if (host === null) return ''
  // RFC 9477 3.1.3: another domain than From's would need a signature of its own, and reporters
  // drop one without.
  const address = isWithin(host, domain)
    ? `CFBL-Address: ${reportAddresses.fbl}@${host}; report=arf\r\n`
    : ''
  return `${address}CFBL-Feedback-ID:\r\n ${token}\r\n`
}

/**
 * Of a single mail. Gmail counts each identifier on its own and wants none that only one mail has;
 * a campaign has three (mail/campaign/campaign-headers.ts).
 */
export const singleFeedbackId = (domain: string): string =>
  `Feedback-ID: ${domain}:single:facteur\r\n`

const isWithin = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`)
