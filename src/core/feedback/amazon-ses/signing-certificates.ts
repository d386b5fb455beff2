/**
 * Fetches and caches the certificates that Amazon SNS signs with, from the topic's own host only.
 *
 * The sender of a notice names the certificate's address. It is fetched only if it has exactly the
 * expected host, with a limit per minute. Forged notices therefore cannot make this service call
 * AWS without end.
 */
import { X509Certificate } from 'node:crypto'
import { snsHostOf } from '../../../providers/amazon-ses/ses-settings.ts'
import type { Context } from '../../context.ts'

export type FoundCertificate =
  | { kind: 'found'; certificate: X509Certificate }
  /** It is not a signing certificate of SNS. */
  | { kind: 'foreign'; why: string }
  /** It could not be fetched now. */
  | { kind: 'away'; why: string }

export type FindCertificate = (
  signingCertUrl: string,
  topicArn: string,
) => Promise<FoundCertificate>

const keptMax = 16
const fetchesMax = 30
const minuteMs = 60_000
const withinMs = 10_000
const bytesMax = 16 * 1024

const pathShape = /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/

/**
 * `sns.amazonaws.com`, and in other partitions and regions `sns-us-gov-west-1.amazonaws.com`,
 * `sns-signing.eu-south-1.amazonaws.com`…
 */
const subjectShape = /^CN=sns(?:[.-][a-z0-9-]+)*\.amazonaws\.com(?:\.cn)?$/m

export function createFindCertificate({
  outbound,
  clock,
}: Pick<Context, 'outbound' | 'clock'>): FindCertificate {
  const cache = new Map<string, X509Certificate>()
  let fetchedAtMs: number[] = []

  const fetch = async (url: URL): Promise<FoundCertificate> => {
    const nowMs = clock.monotonicMs()
    fetchedAtMs = fetchedAtMs.filter((atMs) => nowMs - atMs < minuteMs)
    if (fetchedAtMs.length >= fetchesMax)
      return { kind: 'away', why: 'too many certificates were asked for this minute' }
    fetchedAtMs.push(nowMs)
    const answer = await outbound.send({
      method: 'GET',
      url,
      headers: { accept: '*/*' },
      withinMs,
      readMax: bytesMax,
    })
    if (answer.kind !== 'answered')
      return { kind: 'away', why: `its certificate was not fetched (${answer.reason})` }
    if (answer.status >= 500)
      return { kind: 'away', why: `its certificate was not fetched (HTTP ${answer.status})` }
    const certificate = answer.status === 200 ? readCertificate(answer.body) : null
    if (!certificate)
      return {
        kind: 'foreign',
        why: `there is no certificate at its address (HTTP ${answer.status})`,
      }
    if (!subjectShape.test(certificate.subject))
      return { kind: 'foreign', why: 'its certificate is not one of Amazon SNS' }
    const oldest = cache.keys().next().value
    if (cache.size >= keptMax && oldest !== undefined) cache.delete(oldest)
    cache.set(url.href, certificate)
    return { kind: 'found', certificate }
  }

  return async (signingCertUrl, topicArn) => {
    const url = certificateUrl(signingCertUrl, topicArn)
    if (!url) return { kind: 'foreign', why: 'its certificate is not at the address of Amazon SNS' }
    const certificate = cache.get(url.href)
    return certificate ? { kind: 'found', certificate } : fetch(url)
  }
}

/**
 * Requires the exact scheme, host, port and path: the text must equal what the URL parser would
 * write.
 */
function certificateUrl(text: string, topicArn: string): URL | null {
  const url = URL.parse(text)
  const host = snsHostOf(topicArn)
  return url &&
    host !== null &&
    pathShape.test(url.pathname) &&
    text === `https://${host}${url.pathname}`
    ? url
    : null
}

function readCertificate(pem: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}
