/**
 * Finds out whether the mail that brought a report is from whom it says: signed by the domain in
 * From, or one of the same organisation (RFC 8460 3 asks for it, and the large receivers sign their
 * DMARC reports). A report without proof is stored, and shown apart.
 */
import { getDomain } from 'tldts'
import { readTagList } from '../../ground/dns/read-tags.ts'
import type { Resolver } from '../../ground/dns/lookup.ts'
import type { ReportMail } from '../../mail/reports/report-mail.ts'
import {
  readPublicKey,
  verifySignature,
  type ReadSignature,
} from '../../mail/signing/verify-dkim.ts'

/**
 * Signatures whose keys DNS is asked for: the sender waits meanwhile. Reporters sign by one domain,
 * with one or two keys.
 */
const triedMax = 2

/** Never rejects: without an answer of DNS there is no proof. */
export async function proveReporter(
  { resolver }: { resolver: Resolver },
  { reporter, signatures }: ReportMail,
): Promise<boolean> {
  const organisation = getDomain(reporter) ?? reporter
  const aligned = signatures.filter(
    ({ domain, bodyMatches }) =>
      bodyMatches === true && (getDomain(domain) ?? domain) === organisation,
  )
  for (const signature of aligned.slice(0, triedMax))
    if (await isValid(resolver, signature)) return true
  return false
}

async function isValid(resolver: Resolver, signature: ReadSignature): Promise<boolean> {
  const result = await resolver.resolve(
    `${signature.selector}._domainkey.${signature.domain}`,
    'TXT',
  )
  if (result.kind !== 'found') return false
  return result.records.some((text) => {
    const tags = readTagList(text)
    const isOfKind =
      (tags.get('k') ?? 'rsa') === (signature.algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519')
    const key = isOfKind
      ? readPublicKey(signature.algorithm, (tags.get('p') ?? '').replaceAll(/\s/g, ''))
      : null
    return key !== null && verifySignature(signature, key)
  })
}
