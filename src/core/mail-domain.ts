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
   * The host of return paths: the customer's own once its records were found, so that SPF is
   * aligned (RFC 9989 4.4.2), else the installation's. Null means bounces go to the sender's
   * address, as with any mail program.
   */
  returnPathHost: string | null
  /**
   * `https://host` for links of its mails, once its record was found and it answers. Null means the
   * installation's base URL.
   */
  trackingBaseUrl: string | null
}

export interface MailDomains {
  /**
   * Cached for some seconds. A domain that the workspace does not have has no keys and no hosts of
   * its own. The hosts are looked up once per message and stored with it, so that a retry has the
   * same ones after a change of settings.
   */
  get(workspaceId: number, fromDomain: string): Promise<MailDomain>
}
