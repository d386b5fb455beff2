/**
 * Reads a DMARC or TLS report from the mail that brought it, with the mail's own signatures: the mail may be the file itself, as
 * Google's is, or have it as a part.
 */
import { readDmarcReport, type DmarcReport } from './dmarc-report.ts'
import { takeApart, type MimePart } from './mime-parts.ts'
import { readReportMail, type ReportMail } from './report-mail.ts'
import { readTlsReport, type TlsReport } from './tls-report.ts'
import { isGzip, isZip, unpackReport } from './unpack-report.ts'

/** Rejects when the mail has no report, or one beyond the limits. */
export async function readDmarcMail(raw: Buffer, nowSeconds: number): Promise<ReportMail & { report: DmarcReport }> {
  const { file, ...mail } = openMail(raw, nowSeconds, '<')
  return { ...mail, report: readDmarcReport(await unpackReport(file)) }
}

/** Rejects when the mail has no report, or one beyond the limits. */
export async function readTlsMail(raw: Buffer, nowSeconds: number): Promise<ReportMail & { report: TlsReport }> {
  const { file, ...mail } = openMail(raw, nowSeconds, '{')
  return { ...mail, report: readTlsReport(await unpackReport(file)) }
}

function openMail(raw: Buffer, nowSeconds: number, first: string): ReportMail & { file: Buffer } {
  const mail = takeApart(raw)
  const file = mail.parts
    .filter(isFile)
    .map((part) => part.content())
    .find((content) => isReport(content, first))
  if (file === undefined) throw new Error('no report')
  return { ...readReportMail(mail, nowSeconds), file }
}

/** The words of a mail for readers begin like nothing that we look for, but HTML. */
const isFile = ({ type }: MimePart): boolean => type !== 'text/html' && type !== 'text/plain'

const isReport = (content: Buffer, first: string): boolean =>
  isGzip(content) ||
  isZip(content) ||
  content
    .toString('utf8', 0, 100)
    .replace(/^\uFEFF/, '')
    .trimStart()
    .startsWith(first)
