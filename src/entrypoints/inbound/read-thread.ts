/**
 * A worker thread that parses mails one after the other until it is ended: a parser that hangs
 * holds up no other mail.
 */
import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { sayFromThread } from '../../core/read-in-threads.ts'
import { readDmarcMail, readTlsMail } from '../../mail/reports/attached-report.ts'
import { readComplaintReport, type ComplaintReport } from '../../mail/reports/complaint-report.ts'
import type { DmarcReport } from '../../mail/reports/dmarc-report.ts'
import { splitMail } from '../../mail/reports/mime-parts.ts'
import { readReturnedMail, type ReturnedMail } from '../../mail/reports/read-returned-mail.ts'
import type { ReportKind } from '../../mail/reports/report-addresses.ts'
import { readReportMail, type ReportMail } from '../../mail/reports/report-mail.ts'
import type { TlsReport } from '../../mail/reports/tls-report.ts'

/** The kind of address: of a recipient's own (verp.ts), or one of the fixed ones. */
export type InboundKind = 'returned' | ReportKind

export type InboundMail =
  /** `sender`: of a complaint, who sent it. */
  | { kind: 'returned'; mail: ReturnedMail; sender: ReportMail | null }
  | { kind: 'fbl'; report: ComplaintReport }
  | ({ kind: 'dmarc'; report: DmarcReport } & ReportMail)
  | ({ kind: 'tlsrpt'; report: TlsReport } & ReportMail)

/** `digest`: SHA-256 of the bytes, hexadecimal. */
export type MailRead = (InboundMail & { digest: string }) | { unreadable: string }

/** What a thread is given. `nowSeconds`: since 1970, for signatures that expire. */
export interface ToRead {
  raw: Uint8Array
  kind: InboundKind
  nowSeconds: number
}

parentPort?.on('message', (mail: ToRead) => void read(mail).then(sayFromThread))
sayFromThread('ready')

async function read({ raw, kind, nowSeconds }: ToRead): Promise<MailRead> {
  try {
    return {
      ...(await readInboundMail(raw, kind, nowSeconds)),
      digest: createHash('sha256').update(raw).digest('hex'),
    }
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) }
  }
}

/** By the address that it came to. Throws when the mail is beyond the limits of its kind. */
async function readInboundMail(
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
