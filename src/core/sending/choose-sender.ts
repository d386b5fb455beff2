/**
 * Chooses the sender of a campaign: one of the workspace's senders, on a verified domain (spec:
 * Five rules, 1; semantics 4: Campaign).
 */
import { parseMailbox } from '../../ground/address.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Database } from '../../database/client/database.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { sendersOf } from '../../db/workspaces/senders.ts'
import { shapeError } from '../input/shape-error.ts'

export interface ChosenSender {
  fromName: string | null
  fromEmail: string | null
}

/**
 * `from` is the request's text; null means the workspace's default sender, or no sender while there
 * is none. Checks the domain first (422 `unverified_from_domain`), then looks for the sender (404),
 * so that the caller mends the domain first. A name in `from` replaces the sender's own name.
 */
export async function chooseSender(
  { db }: { db: Database },
  { workspaceId, from }: { workspaceId: number; from: string | null },
): Promise<ChosenSender> {
  const senders = await sendersOf(db, workspaceId)
  const written = from ?? senders.find((sender) => sender.default)?.email
  if (written === undefined) return { fromName: null, fromEmail: null }
  const mailbox = parseMailbox(written)
  if ('rule' in mailbox)
    throw shapeError([{ ...mailbox, path: 'from', rule: `address.${mailbox.rule}` }])
  await checkSenderDomain({ db }, { workspaceId, ...mailbox })
  const sender = senders.find(({ email }) => email.toLowerCase() === mailbox.key)
  if (!sender)
    throw new ApiError('not_found', {
      from: mailbox.address,
      senders: senders.map(({ email }) => email),
    })
  return { fromName: mailbox.name ?? sender.name, fromEmail: sender.email }
}

/**
 * Throws `unverified_from_domain`. A verified domain is the exact name: its subdomains are not
 * covered.
 */
export async function checkSenderDomain(
  { db }: { db: Database },
  { workspaceId, address, domain }: { workspaceId: number; address: string; domain: string },
): Promise<void> {
  const domains = await domainsOf(db, workspaceId)
  const verifiedDomains = domains
    .filter(({ status }) => status === 'verified')
    .map(({ name }) => name)
  if (!verifiedDomains.includes(domain))
    throw new ApiError('unverified_from_domain', { from: address, verifiedDomains })
}
