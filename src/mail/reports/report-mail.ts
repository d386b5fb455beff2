/**
 * Reads who sent the mail that brought a report, as far as it can be proven: its From, and its own
 * signatures.
 */
import { readSignatures, type ReadSignature } from '../signing/verify-dkim.ts'
import { domainOfFrom, headerValue, type TakenApart } from './mime-parts.ts'

export interface ReportMail {
  /** The domain of From, in lower case. Empty if it has none. */
  reporter: string
  /** The address in From, in lower case. */
  from: string
  signatures: ReadSignature[]
}

export function readReportMail(
  mail: Pick<TakenApart, 'fields' | 'body'>,
  nowSeconds: number,
): ReportMail {
  const from = headerValue(mail.fields, 'from')
  return {
    reporter: domainOfFrom(mail.fields),
    from: from
      .slice(from.lastIndexOf('<') + 1)
      .replace('>', '')
      .trim()
      .toLowerCase(),
    signatures: readSignatures(mail, nowSeconds),
  }
}
