/** Headers that mailbox providers require of list mail, and the Message-ID of each mail. */
import type { CampaignToCompile } from '../merge/compiled-campaign.ts'
import { addressHeader } from '../mime/header-lines.ts'
import { writeMark } from '../merge/slots.ts'

/**
 * RFC 2369 and RFC 8058 (one click), RFC 2919 (List-Id), Gmail's Feedback-ID (three identifiers of
 * ours, then the sender's own), and `Precedence: bulk`, which prevents holiday replies. The values
 * hold marks.
 */
export function listHeaders({
  campaignId,
  workspace,
  from,
  returnPathHost,
}: CampaignToCompile): string {
  const unsubscribe = writeMark({ kind: 'unsubscribe' })
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  return (
    `List-Unsubscribe: <${unsubscribe}>${returnPathHost === null ? '' : mailtoUnsubscribe(returnPathHost)}\r\n` +
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n' +
    addressHeader('List-Id', [
      { name: workspace.name, address: `${listLabel(workspace.slug)}.${domain}` },
    ]) +
    `Feedback-ID: ${campaignId}:${listLabel(workspace.slug)}:campaign:facteur\r\n` +
    'Precedence: bulk\r\n'
  )
}

/**
 * RFC 2369 2: programs take the first that they can, and one click needs the https form (RFC 8058
 * 3.1), so this one is the second.
 */
const mailtoUnsubscribe = (host: string): string =>
  `,\r\n <mailto:${writeMark({ kind: 'mailto' })}@${host}?subject=unsubscribe>`

/** A label of a domain name: what else a slug may hold is of no use in one. */
const listLabel = (slug: string): string =>
  slug.toLowerCase().replace(/[^a-z0-9-]+/g, '-') || 'list'

/**
 * Every attempt for a recipient has the same Message-ID, so that mailboxes drop a second copy.
 * `domain` is the sender's.
 */
export function campaignMessageId(of: {
  campaignId: string
  subscriberId: string
  domain: string
}): string {
  return `${of.campaignId}.${of.subscriberId}`.replaceAll('-', '') + `@${of.domain}`
}
