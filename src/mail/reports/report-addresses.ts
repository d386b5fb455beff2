/**
 * The fixed addresses for reports, the same on each host whose MX leads to us: complaints (RFC
 * 5965), DMARC aggregate reports (RFC 9990), TLS reports (RFC 8460). The address says how a mail is
 * read, and nothing else: its host and its sender prove nothing.
 */

export type ReportKind = 'fbl' | 'dmarc' | 'tlsrpt'

/** The local part of each. */
export const reportAddresses: Record<ReportKind, string> = {
  fbl: 'fbl',
  dmarc: 'dmarc',
  tlsrpt: 'tlsrpt',
}

export const reportKinds: readonly ReportKind[] = ['fbl', 'dmarc', 'tlsrpt']

/** In any case (RFC 5321 2.4 leaves it to us). Null if it is none of them. */
export function reportKindOf(localPart: string): ReportKind | null {
  const text = localPart.toLowerCase()
  return reportKinds.find((kind) => reportAddresses[kind] === text) ?? null
}
