/** What sending needs to know of a From domain: the keys to sign with, where bounces come back to, where links lead. */
import type { DkimSigner } from '../mail/signing/dkim.ts'

export interface MailDomain {
  /** As A-label. */
  name: string
  /** The keys to sign with now; none while no key of it was found in DNS. */
  signers: DkimSigner[]
  /** The customer's subdomain for return paths, once its records were found; null: ours, or the sender's own address. */
  returnPathHost: string | null
  /** `https://host` for links of its mails, once found and answering; null: the installation's base URL. */
  trackingBaseUrl: string | null
}

export interface MailDomains {
  /** Kept for some seconds. A domain that the workspace has not has no keys and no hosts. */
  get(workspaceId: number, fromDomain: string): Promise<MailDomain>
}
