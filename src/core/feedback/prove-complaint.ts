/**
 * Finds out whether a mailbox provider reports a complaint (security: reputation listens to proof).
 * Each recipient holds what proves that a report is about their mail, so it counts towards the
 * reputation only with a signature of its sender, who is
 *
 * - a known reporter, or
 * - an organisation that is neither the recipient's own, nor one where everybody may have a
 *   mailbox.
 */
import { receiverOf } from '../../contract/compliance.ts'
import { envelopeOf } from '../../db/feedback/inbound.ts'
import type { ReportMail } from '../../mail/reports/report-mail.ts'
import type { Service } from '../context.ts'
import { words } from '../../ground/words.ts'
import { proveReporter } from '../domain-reports/prove-reporter.ts'
import { reporterOf } from '../domain-reports/reporter-of.ts'
import type { FeedbackTarget } from '../feedback-target.ts'

/**
 * Reporters of organisations that also have mailboxes for everybody, which sign with the same
 * domain. Yahoo's Complaint Feedback Loop (https://senders.yahooinc.com/complaint-feedback-loop/),
 * and Microsoft's JMRP.
 */
const knownReporters = new Set(['feedback@arf.mail.yahoo.com', 'staff@hotmail.com'])

/**
 * Further providers where everybody may have a mailbox: what a user of theirs sends is signed by
 * them, and proves nothing.
 */
const openToEverybody = new Set(
  words(`
    126.com 163.com abv.bg alice.it aliyun.com arcor.de att.net bbox.fr bell.net bigpond.com bluewin.ch bol.com.br btinternet.com
    centrum.cz charter.net comcast.net cox.net daum.net duck.com email.cz fastmail.com fastmail.fm foxmail.com free.fr freenet.de
    hanmail.net hey.com icloud.com ig.com.br inbox.ru interia.pl internet.ru kpnmail.nl libero.it list.ru mac.com mail.com mail.ru
    mailbox.org mailinator.com me.com naver.com neuf.fr o2.pl onet.pl optusnet.com.au orange.fr pm.me posteo.de proton.me
    protonmail.ch protonmail.com proximus.be qq.com rambler.ru rediffmail.com rogers.com sbcglobal.net seznam.cz sfr.fr shaw.ca
    sina.com sky.com skynet.be sohu.com t-online.de talktalk.net telenet.be terra.com.br tim.it tiscali.it tuta.com tuta.io
    tutanota.com tutanota.de ukr.net uol.com.br verizon.net videotron.ca virgilio.it virginmedia.com wanadoo.fr web.de wp.pl ya.ru
    yeah.net ziggo.nl bk.ru zohomail.com`),
)
/** A country's domain follows the name: `gmx.de`. */
const familiesForEverybody = /^(?:gmx|yandex|zoho)\./

export interface ComplainedMail {
  /** The domain of its From. */
  domain: string
  isProven: boolean
}

/** Null if the mail is gone. */
export async function proveComplaint(
  { db, resolver }: Pick<Service, 'db' | 'resolver'>,
  {
    workspaceId,
    target,
    sender,
  }: { workspaceId: number; target: FeedbackTarget; sender: ReportMail | null },
): Promise<ComplainedMail | null> {
  const envelope = await envelopeOf(db, workspaceId, target)
  if (envelope === null) return null
  const mayProve = sender !== null && isOther(sender, domainPart(envelope.email))
  return {
    domain: domainPart(envelope.from),
    isProven: mayProve && (await proveReporter({ resolver }, sender)),
  }
}

function isOther({ from, reporter }: ReportMail, recipientDomain: string): boolean {
  const organisation = reporterOf(reporter)
  return (
    knownReporters.has(from) ||
    (!isForEverybody(organisation) && organisation !== reporterOf(recipientDomain))
  )
}

const isForEverybody = (organisation: string): boolean =>
  receiverOf(organisation) !== null ||
  openToEverybody.has(organisation) ||
  familiesForEverybody.test(organisation)

const domainPart = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase()
