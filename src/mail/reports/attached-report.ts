/**
 * Reads a DMARC or TLS report from the mail that brought it, with the mail's own signatures: the
 * mail may be the file itself, as Google's is, or have it as a part.
 */
import { readDmarcReport, type DmarcReport } from './dmarc-report.ts'
import { headerValue, takeApart, type TakenApart } from './mime-parts.ts'
import { readReportMail, type ReportMail } from './report-mail.ts'
import { readTlsReport, type TlsReport } from './tls-report.ts'
import { isGzip, isZip, unpackReport } from './unpack-report.ts'

/** Rejects when the mail has no report, or one beyond the limits. */
export async function readDmarcMail(
  raw: Buffer,
  nowSeconds: number,
): Promise<ReportMail & { report: DmarcReport }> {
  const mail = takeApart(raw)
  const { file, ...from } = openMail(mail, nowSeconds, beginsDmarc)
  return { ...from, report: readDmarcReport(await unpackReport(file), reportedDomain(mail)) }
}

/** Rejects when the mail has no report, or one beyond the limits. */
export async function readTlsMail(
  raw: Buffer,
  nowSeconds: number,
): Promise<ReportMail & { report: TlsReport }> {
  const mail = takeApart(raw)
  const { file, ...from } = openMail(mail, nowSeconds, beginsTls)
  return { ...from, report: readTlsReport(await unpackReport(file), reportedDomain(mail)) }
}

/**
 * RFC 8460 5.3, RFC 7489 7.2.1.1: the mail names the domain of the report, in a field of its own or
 * in its subject. Empty if it does not.
 */
const reportedDomain = ({ fields }: TakenApart): string =>
  headerValue(fields, 'tls-report-domain') ||
  (/report domain:\s*(\S{1,255})/i.exec(headerValue(fields, 'subject'))?.[1] ?? '')

function openMail(
  mail: TakenApart,
  nowSeconds: number,
  begins: RegExp,
): ReportMail & { file: Buffer } {
  const file = mail.parts
    .filter(({ type }) => type !== 'text/html')
    .map((part) => part.content())
    .find((content) => isReport(content, begins))
  if (file === undefined) throw new Error('no report')
  return { ...readReportMail(mail, nowSeconds), file }
}

/** The words of a mail for readers begin like neither; reporters give a file any type, or none. */
const beginsDmarc = /^<(?:\?xml|!--|(?:[\w-]{1,20}:)?(?:feedback|schema)\b)/
const beginsTls = /^\{/

/** A byte order mark is white space to `trimStart`. */
const isReport = (content: Buffer, begins: RegExp): boolean =>
  isGzip(content) || isZip(content) || begins.test(content.toString('utf8', 0, 200).trimStart())
