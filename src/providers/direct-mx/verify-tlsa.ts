/**
 * Checks the certificates of a host against its TLSA records (RFC 7672 3).
 *
 * - DANE-EE(3): the record names its own certificate or key. Its dates and names mean nothing
 *   (3.1.1).
 * - DANE-TA(2): the record names an authority above it, which must be among the shown certificates.
 *   Each has signed the next, all are in their dates, and the host's name is in its own (3.1.2,
 *   3.2.2).
 */
import { hash, X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { TlsaRecord } from '../../ground/dns/lookup.ts'

/** The problem, in one line; null when one record holds. */
export function verifyByTlsa(
  socket: TLSSocket,
  { host, records, now }: { host: string; records: TlsaRecord[]; now: Date },
): string | null {
  const chain = chainOf(socket.getPeerCertificate(true))
  const [own] = chain
  if (own === undefined) return 'the host shows no certificate'
  const matches = records.some((record) =>
    record.usage === 3 ? isNamed(own, record) : leadsTo(chain, record, { host, now }),
  )
  return matches ? null : 'the certificate is not the one that DNS names (DANE)'
}

/** Returns the host's own certificate first, and behind each the one that signed it. */
function chainOf(first: DetailedPeerCertificate): X509Certificate[] {
  const fingerprints = new Set<string>()
  const chain: X509Certificate[] = []
  // Without a certificate the object is empty; a root names itself as its issuer.
  let at: Partial<DetailedPeerCertificate> | undefined = first
  while (at?.raw && at.fingerprint256 !== undefined && !fingerprints.has(at.fingerprint256)) {
    fingerprints.add(at.fingerprint256)
    chain.push(new X509Certificate(at.raw))
    at = at.issuerCertificate
  }
  return chain
}

function isNamed(
  certificate: X509Certificate,
  { selector, matchingType, certificate: association }: TlsaRecord,
): boolean {
  const data =
    selector === 0 ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' })
  const shown =
    matchingType === 0 ? data : hash(matchingType === 1 ? 'sha256' : 'sha512', data, 'buffer')
  return shown.equals(association)
}

function leadsTo(
  chain: X509Certificate[],
  record: TlsaRecord,
  { host, now }: { host: string; now: Date },
): boolean {
  const [own, ...above] = chain
  const top = above.findIndex((certificate) => isNamed(certificate, record))
  if (own === undefined || top === -1 || own.checkHost(host) === undefined) return false
  const upTo = chain.slice(0, top + 2)
  return upTo.every((certificate, at) => {
    const signer = upTo[at + 1]
    return isInDates(certificate, now) && (signer === undefined || hasSigned(signer, certificate))
  })
}

const hasSigned = (signer: X509Certificate, certificate: X509Certificate): boolean =>
  signer.ca && certificate.checkIssued(signer) && certificate.verify(signer.publicKey)

const isInDates = ({ validFromDate, validToDate }: X509Certificate, now: Date): boolean =>
  validFromDate <= now && now <= validToDate
