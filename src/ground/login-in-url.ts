/**
 * URLs with a user and a password: finds where the login ends without doubt, and the part of the
 * URL that may be shown.
 */

/**
 * Whether no @ stands behind the authority (RFC 3986 3.2). An @ there ends a login whose password
 * holds / or ? or # unescaped. Every parser then takes the beginning of the password for a host,
 * which would be connected to and shown.
 */
export function endsLoginClearly(text: string): boolean {
  return !afterAuthority(text).includes('@')
}

/** `host:port/path` of an address with a login; null where nothing of it can be shown safely. */
export function locationWithoutLogin(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || url.username === '' || !endsLoginClearly(text)) return null
  return `${url.host}${url.pathname}`
}

/** The escapes to write in place of characters that end a login. */
export const escapesInLogin =
  'in user and password write @ as %40, / as %2F, ? as %3F, # as %23 and % as %25'

const afterAuthority = (text: string): string =>
  /^[^:/?#]*:\/\/[^/?#]*(.*)$/s.exec(text)?.[1] ?? text
