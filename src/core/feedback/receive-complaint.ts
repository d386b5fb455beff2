/**
 * Handles mail to the fixed address for complaints (security: reports by mail). Anybody may write
 * to it, so a report counts only for what our own signature in the embedded mail proves:
 *
 * 1. its CFBL-Feedback-ID is a token of ours, which names the workspace and the recipient
 * 2. a key of that workspace signed the header with the token in it, as the mail left: also a key
 *    that was retired or removed since
 * 3. the body is the signed one, where the report has it
 *
 * The header alone suffices: it proves that the reporter holds a mail that left to this recipient,
 * and the body would prove no more. A report that proves less is counted, and changes nothing.
 * Whether it counts towards the reputation is another question (prove-complaint.ts).
 */
import { campaignsNamed } from '../../db/feedback/inbound.ts'
import { verifyingKeys } from '../../db/domains/verifying-keys.ts'
import { countComplaint } from '../../db/domain-reports/complaint-days.ts'
import { countReport } from '../../db/domain-reports/report-tally.ts'
import type { ComplaintReport, OriginalMail } from '../../mail/reports/complaint-report.ts'
import type { NamedSubject } from '../../mail/reports/verp.ts'
import {
  readPublicKey,
  verifySignature,
  type ReadSignature,
} from '../../mail/signing/verify-dkim.ts'
import { ofWorkspace } from '../databases.ts'
import type { Service } from '../context.ts'
import { reporterOf } from '../domain-reports/reporter-of.ts'
import { findVerifiedDomains } from '../domain-reports/find-verified-domains.ts'
import { addressLines } from './address-lines.ts'
import { receiveReturnedMail, type ReceivedMail } from './receive-returned-mail.ts'

export interface Complaint {
  report: ComplaintReport
  /** SHA-256 of the whole mail. */
  digest: string
  raw: Buffer
}

/** `unverified`: nothing in it proves that it is about a mail of ours. */
export type ReceivedComplaint = ReceivedMail | 'unverified'

/** Returns after the commit; throws when it could not commit. */
export async function receiveComplaint(
  ctx: Service,
  complaint: Complaint,
): Promise<ReceivedComplaint> {
  const outcome = await receive(ctx, complaint)
  await countReport(ctx.databases.home.db, { kind: 'fbl', outcome })
  return outcome
}

async function receive(
  ctx: Service,
  { report, digest, raw }: Complaint,
): Promise<ReceivedComplaint> {
  const { original, meaning, type } = report
  if (meaning === 'none') return 'no_report'
  const proven = original === null ? null : await prove(ctx, original)
  if (proven === null) {
    await countUnverified(ctx, report)
    return 'unverified'
  }
  const { subject, token } = proven
  const at = await ofWorkspace(ctx, subject.workspaceId)
  return receiveReturnedMail(at, {
    purpose: 'bounce',
    subject,
    token,
    mail: { kind: meaning, type },
    sender: report,
    digest,
    raw,
  })
}

interface Proven {
  subject: NamedSubject
  /** In the place of the address that a returned mail comes to. */
  token: string
}

async function prove(
  ctx: Service,
  { feedbackId, signatures }: OriginalMail,
): Promise<Proven | null> {
  const subject = feedbackId === null ? null : ctx.verp.readFeedbackId(feedbackId)
  if (feedbackId === null || subject === null) return null
  const at = await ofWorkspace(ctx, subject.workspaceId)
  for (const signature of signatures.filter(coversToken))
    if (await isOurs(at, subject, signature)) return { subject, token: feedbackId }
  return null
}

/**
 * A field that the signature does not cover could have been put in by anybody; a body that is there
 * has to be the signed one.
 */
const coversToken = ({ names, bodyMatches }: ReadSignature): boolean =>
  names.includes('cfbl-feedback-id') && bodyMatches !== false

async function isOurs(
  at: Service,
  subject: NamedSubject,
  signature: ReadSignature,
): Promise<boolean> {
  const { domain, selector, algorithm } = signature
  const keys = await verifyingKeys(at.db, subject.workspaceId, { domain, selectors: [selector] })
  for (const { publicKey } of keys.filter((key) => key.algorithm === algorithm)) {
    const key = readPublicKey(algorithm, publicKey)
    if (key === null) continue
    if (verifySignature(signature, key)) return true
    const lines = await addressLines(at, await targetOf(at, subject))
    if (
      lines.size > 0 &&
      verifySignature({ ...signature, fields: withAddresses(signature, lines) }, key)
    )
      return true
  }
  return false
}

/**
 * The signed fields as they left: a reporter may have left out whom the mail was addressed to, or
 * the whole field, and we know it (RFC 6590). A name that `h=` has again covers that no second
 * field was there.
 */
function withAddresses(
  { names, fields }: ReadSignature,
  lines: ReadonlyMap<string, string>,
): ReadSignature['fields'] {
  const left = Map.groupBy(fields, ({ name }) => name)
  return names.flatMap((name, index) => {
    const result = left.get(name)?.shift()
    const line = names.indexOf(name) === index ? lines.get(name) : undefined
    return line === undefined ? (result ?? []) : { name, text: line }
  })
}

async function targetOf(at: Service, subject: NamedSubject) {
  if ('messageId' in subject) return subject
  const { workspaceId, campaign, subscriberId } = subject
  const [campaignId] = await campaignsNamed(at.db, workspaceId, { ...campaign, subscriberId })
  return campaignId === undefined ? null : { workspaceId, campaignId, subscriberId }
}

/**
 * Counted at the domains that the report names, so that their workspaces see that somebody reports
 * what cannot be verified.
 */
async function countUnverified(
  ctx: Service,
  { original, reporter }: ComplaintReport,
): Promise<void> {
  const names = [...new Set((original?.signatures ?? []).map(({ domain }) => domain))]
  for (const { at, workspaceId, name } of await findVerifiedDomains(ctx, { names, hosts: [] }))
    await countComplaint(at.db, workspaceId, {
      domain: name,
      reporter: reporterOf(reporter),
      proof: 'unverified',
    })
}
