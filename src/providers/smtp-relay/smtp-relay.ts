/**
 * The relay: every envelope goes to one SMTP server, which the operator names in
 * `FACTEUR_SMTP_URL`.
 */
import type { Clock } from '../../ground/clock.ts'
import { endsLoginClearly, escapesInLogin } from '../../ground/login-in-url.ts'
import type { Relay, TlsMode } from '../../mail/smtp-client/relay.ts'
import { createSmtpClient, type SmtpClientOptions } from '../../mail/smtp-client/smtp-client.ts'
import { readSecretFile } from '../../ground/secret-file.ts'
import type { Provider, Sign } from '../provider.ts'

export interface SmtpRelayOptions extends Pick<
  SmtpClientOptions,
  'connections' | 'timeouts' | 'idleMs' | 'backoffMs'
> {
  relay: Relay
  clock: Clock
  sign?: Sign
  /** Our name in EHLO. Absent means an address literal. */
  heloName?: string
}

/** With `sign`, mail whose domain has keys of ours leaves signed: a relay need not have them. */
export function createSmtpRelay({ heloName, sign, ...options }: SmtpRelayOptions): Provider {
  let signing = 0
  const client = createSmtpClient({
    ...options,
    ...(heloName === undefined ? {} : { name: heloName }),
  })
  return {
    name: 'smtp-relay',
    captures: false,
    inline: () => true,
    reportsDelivery: false,
    free: () => Math.max(0, client.free() - signing),
    async handOff(envelope, lease) {
      if (!sign) return client.handOff(envelope, lease)
      signing++
      const signed = await sign(envelope).finally(() => signing--)
      return 'kind' in signed ? signed : client.handOff(signed, lease)
    },
    close: (withinMs) => client.close(withinMs),
  }
}

/**
 * Reads `smtp[s]://[user:password@]host[:port][?tls=none|starttls|required][&ca=/path/to/ca.pem]`.
 * Ports: 587 for `smtp`, 465 for `smtps` (RFC 8314). User and password are percent-encoded as in
 * every URL.
 * @throws Error with one line that names the problem, and never contains the password.
 */
export function parseSmtpUrl(text: string): Relay {
  const url = parseUrl(text)
  const query = readQuery(url)
  const tls = readTlsMode(url, query)
  const ca = query.get('ca')
  if (url.hostname === '') throw new Error('FACTEUR_SMTP_URL: the host is missing')
  if (url.pathname !== '' && url.pathname !== '/')
    throw new Error('FACTEUR_SMTP_URL: a path means nothing here')
  const login = readLogin(url)
  return {
    host: url.hostname.replace(/^\[|\]$/g, '').toLowerCase(),
    port: url.port === '' ? (tls === 'implicit' ? 465 : 587) : Number(url.port),
    tls,
    ...(ca === null ? {} : { ca: readSecretFile('?ca= of FACTEUR_SMTP_URL', ca) }),
    ...(login === null ? {} : { login }),
  }
}

function parseUrl(text: string): URL {
  if (!endsLoginClearly(text))
    throw new Error(`FACTEUR_SMTP_URL: it is not clear where the password ends; ${escapesInLogin}`)
  const url = URL.parse(text)
  if (url === null)
    throw new Error(
      'FACTEUR_SMTP_URL: not a URL; write smtp://user:password@host:587, with % escapes in user and password',
    )
  if (url.protocol === 'smtp:' || url.protocol === 'smtps:') return url
  throw new Error(
    'FACTEUR_SMTP_URL: begin with smtp:// (STARTTLS when offered) or smtps:// (TLS at once)',
  )
}

function readQuery(url: URL): URLSearchParams {
  for (const key of url.searchParams.keys()) {
    if (key !== 'tls' && key !== 'ca')
      throw new Error('FACTEUR_SMTP_URL: only ?tls= and ?ca= are known')
  }
  return url.searchParams
}

function readTlsMode(url: URL, query: URLSearchParams): TlsMode {
  const tls = query.get('tls')
  if (url.protocol === 'smtps:') {
    if (tls !== null)
      throw new Error(
        'FACTEUR_SMTP_URL: ?tls= does not go with smtps://, which is TLS from the first byte',
      )
    return 'implicit'
  }
  if (tls === null) return 'starttls'
  if (tls === 'none' || tls === 'starttls' || tls === 'required') return tls
  throw new Error(
    'FACTEUR_SMTP_URL: ?tls= is none, starttls (when offered; the default) or required',
  )
}

function readLogin(url: URL): { user: string; password: string } | null {
  if (url.username === '' && url.password === '') return null
  if (url.username === '' || url.password === '')
    throw new Error('FACTEUR_SMTP_URL: user and password go together')
  try {
    return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }
  } catch {
    throw new Error(
      'FACTEUR_SMTP_URL: a % escape in the user or the password is broken (write % as %25)',
    )
  }
}
