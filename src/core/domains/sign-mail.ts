/**
 * Signs a mail with the keys of its From domain. Providers call it without knowing where the keys
 * come from.
 */
import { signMessage } from '../../mail/signing/dkim.ts'
import type { MailDomains } from '../mail-domain.ts'

/**
 * Returns the bytes unchanged while no key of the domain was found in DNS. Rejects when its keys
 * cannot be read.
 */
export type SignMail = (workspaceId: number, fromDomain: string, bytes: Buffer) => Promise<Buffer>

export const createSignMail =
  (mailDomains: MailDomains): SignMail =>
  async (workspaceId, fromDomain, bytes) => {
    const { signers } = await mailDomains.get(workspaceId, fromDomain)
    return signMessage(bytes, signers, { signedAt: dateOf(bytes) })
  }

/** A retry has the same Date, and so the same signatures. */
function dateOf(bytes: Buffer): Date {
  const end = bytes.indexOf('\r\n\r\n')
  const [, text = ''] =
    /^date:([^\r\n]*)/im.exec(bytes.toString('latin1', 0, end === -1 ? bytes.length : end)) ?? []
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new Error('A mail to be signed has no Date')
  return date
}
