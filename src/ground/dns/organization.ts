/**
 * Finds the name that receivers count the mails of a domain by: the one right below the public
 * suffix.
 */

/**
 * By the public suffix list (publicsuffix.org), private suffixes such as `github.io` included:
 * their customers are strangers to each other. A name that is a suffix itself stands for itself.
 */
export async function organizationOf(domain: string): Promise<string> {
  // The list is loaded when it is first asked for.
  const { getDomain } = await import('tldts')
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain
}
