/**
 * Defines what sending needs to know about a From domain: signing keys, the return path's host, the
 * host of links.
 */
import type { DkimSigner } from '../mail/signing/dkim.ts'

export interface MailDomain {
  /** As A-label. */
  name: string
  /** The keys to sign with now; empty while no key was found in DNS. */
  signers: DkimSigner[]
  /**
   * The customer's return path subdomain, once its records were found; null: ours, or the sender's
   * own address.
   */
  returnPathHost: string | null
  /**
   * `https://host` for links of its mails, once its record was found and it answers; null: the
   * installation's base URL.
   */
  trackingBaseUrl: string | null
}

export interface MailDomains {
  /**
   * Cached for some seconds. A domain that the workspace does not have has no keys and no hosts.
   */
  get(workspaceId: number, fromDomain: string): Promise<MailDomain>
}
