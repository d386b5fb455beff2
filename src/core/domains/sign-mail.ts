/**
 * Signs a mail with the keys of its From domain. Providers call it without knowing where the keys
 * come from.
 */
import type { Log } from '../../ground/log.ts'
import { signMessage } from '../../mail/signing/dkim.ts'
import type { Sign } from '../../providers/provider.ts'
import type { MailDomains } from '../mail-domain.ts'

export const createSignMail =
  (mailDomains: MailDomains, log: Pick<Log, 'warn'>): Sign =>
  async (envelope) => {
    const { workspaceId, fromDomain, bytes } = envelope
    try {
      const { signers } = await mailDomains.get(workspaceId, fromDomain)
      if (signers.length === 0) return envelope
      const signed = await signMessage(bytes, signers, { signedAt: dateOf(bytes) })
      return { ...envelope, bytes: signed }
    } catch (error) {
      log.warn(
        { err: error, workspaceId, fromDomain },
        'A message could not be signed; it is tried again',
      )
      return {
        kind: 'deferred',
        phase: 'dial',
        code: null,
        response: 'the message could not be signed',
        slower: false,
      }
    }
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
