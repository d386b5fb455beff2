/**
 * Finds out whether a mailbox provider reports a complaint (security: reputation listens to proof). Each recipient holds what proves that
 * a report is about their mail, so it counts towards the reputation only with a signature of its sender, who is
 *
 * - a known reporter, or
 * - an organisation that is neither the recipient's own, nor one where everybody may have a mailbox.
 */
import { receiverOf } from '../../contract/compliance.ts'
import { envelopeOf } from '../../db/feedback/inbound.ts'
import type { ReportMail } from '../../mail/reports/report-mail.ts'
import type { Service } from '../context.ts'
import { proveReporter } from '../domain-reports/prove-reporter.ts'
import { reporterOf } from '../domain-reports/reporter-of.ts'
import type { FeedbackTarget } from '../feedback-target.ts'

/**
 * Reporters of organisations that also have mailboxes for everybody, which sign with the same domain. Yahoo's Complaint Feedback Loop
 * (https://senders.yahooinc.com/complaint-feedback-loop/), and Microsoft's JMRP.
 */
const knownReporters = new Set(['feedback@arf.mail.yahoo.com', 'staff@hotmail.com'])

export interface ComplainedMail {
  /** The domain of its From. */
  domain: string
  isProven: boolean
}

/** Null: the mail is gone. */
export async function proveComplaint(
  { db, resolver }: Pick<Service, 'db' | 'resolver'>,
  { workspaceId, target, sender }: { workspaceId: number; target: FeedbackTarget; sender: ReportMail | null },
): Promise<ComplainedMail | null> {
  const envelope = await envelopeOf(db, workspaceId, target)
  if (envelope === null) return null
  const mayProve = sender !== null && isOther(sender, domainPart(envelope.email))
  return { domain: domainPart(envelope.from), isProven: mayProve && (await proveReporter({ resolver }, sender)) }
}

function isOther({ from, reporter }: ReportMail, recipientDomain: string): boolean {
  const organisation = reporterOf(reporter)
  return knownReporters.has(from) || (receiverOf(organisation) === null && organisation !== reporterOf(recipientDomain))
}

const domainPart = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()
