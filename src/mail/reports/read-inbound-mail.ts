/** Reads a mail by the address that it came to. It only parses: run it where it may be stopped. */
import { readDmarcMail, readTlsMail } from './attached-report.ts'
import { readComplaintReport, type ComplaintReport } from './complaint-report.ts'
import type { DmarcReport } from './dmarc-report.ts'
import { splitMail } from './mime-parts.ts'
import { readReturnedMail, type ReturnedMail } from './read-returned-mail.ts'
import type { ReportKind } from './report-addresses.ts'
import { readReportMail, type ReportMail } from './report-mail.ts'
import type { TlsReport } from './tls-report.ts'

/** The kind of address: of a recipient's own (verp.ts), or one of the fixed ones. */
export type InboundKind = 'returned' | ReportKind

export type InboundMail =
  /** `sender`: of a complaint, who sent it. */
  | { kind: 'returned'; mail: ReturnedMail; sender: ReportMail | null }
  | { kind: 'fbl'; report: ComplaintReport }
  | ({ kind: 'dmarc'; report: DmarcReport } & ReportMail)
  | ({ kind: 'tlsrpt'; report: TlsReport } & ReportMail)

/** Throws when the mail is beyond the limits of its kind. */
export async function readInboundMail(
  raw: Uint8Array,
  kind: InboundKind,
  nowSeconds: number,
): Promise<InboundMail> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  switch (kind) {
    case 'returned': {
      const mail = await readReturnedMail(raw)
      return {
        kind,
        mail,
        sender: mail.kind === 'complaint' ? readReportMail(splitMail(bytes), nowSeconds) : null,
      }
    }
    case 'fbl':
      return { kind, report: readComplaintReport(bytes, nowSeconds) }
    case 'dmarc':
      return { kind, ...(await readDmarcMail(bytes, nowSeconds)) }
    case 'tlsrpt':
      return { kind, ...(await readTlsMail(bytes, nowSeconds)) }
  }
}
