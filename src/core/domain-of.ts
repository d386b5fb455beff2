/** The domain of an address that was validated when it was registered. */
import { parseMailbox } from '../ground/address.ts'

/** Returns the domain of an address that was parsed when it was registered. */
export function domainOf(address: string): string {
  const mailbox = parseMailbox(address)
  if ('rule' in mailbox) throw new Error(`A sender's address cannot be read: ${mailbox.rule}`)
  return mailbox.domain
}
