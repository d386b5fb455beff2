/**
 * Describes the relay to the registry: an address, and the password in it, which a workspace's own
 * has as its secret.
 */
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { isLoopback } from '../../ground/is-loopback.ts'
import type { Relay } from '../../mail/smtp-client/relay.ts'
import type { ProviderChoice, ProviderKind } from '../provider-kind.ts'
import { spfAddress, spfName } from '../spf-terms.ts'
import { checkRelay } from './check-relay.ts'
import { createSmtpRelay, parseSmtpUrl } from './smtp-relay.ts'

/** Connections to a workspace's own relay, for each process. */
const ownConnections = 5

export const smtpRelayKind: ProviderKind = {
  settings: [
    {
      ...{ name: 'url', variable: 'FACTEUR_SMTP_URL', flag: 'url', value: 'URL' },
      text: 'its address, as in FACTEUR_SMTP_URL but without the password.',
    },
  ],
  secret: { name: 'password', variable: 'FACTEUR_SMTP_URL' },
  example: '--url smtp://acme@relay.example:587 --secret-env ACME_SMTP_PASSWORD',
  checkFlags({ url }) {
    if (url == null)
      throw new Error('smtp-relay needs --url, such as smtp://user@relay.example:587.')
    if ((URL.parse(url)?.password ?? '') !== '')
      throw new Error(
        'Leave the password out of --url, where others can see it: give it by --secret-env or --secret-file.',
      )
  },
  read: ({ url }, password, nameOf) =>
    smtpRelayChoice(readRelay(url ?? '', password, nameOf('url')), ownConnections),
  readDeployment: ({ smtpUrl, smtpConnections }) =>
    smtpRelayChoice(parseSmtpUrl(smtpUrl ?? ''), smtpConnections),
  describe: ({ url }) => `the relay ${url ?? ''}`,
  spfTerms({ smtpUrl, heloName }) {
    const { host } = parseSmtpUrl(smtpUrl ?? '')
    if (isLoopback(host)) return spfName(heloName ?? hostname())
    return isIP(host) === 0 ? spfName(host) : [spfAddress(host)]
  },
}

export const smtpRelayChoice = (relay: Relay, connections: number): ProviderChoice => ({
  type: 'smtp-relay',
  // A relay and direct delivery have the host name and the keys that sign in common.
  open: ({ directMx: { clock, sign, heloName } }) =>
    createSmtpRelay({
      clock,
      sign,
      relay,
      connections,
      ...(heloName !== undefined && { heloName }),
    }),
  check: (parts) => checkRelay(relay, parts),
  feedback: null,
  relay,
})

function readRelay(url: string, password: string | null, name: string): Relay {
  const whole = URL.parse(url)
  if (whole && password !== null) whole.password = encodeURIComponent(password)
  try {
    return parseSmtpUrl(whole?.href ?? url)
  } catch (error) {
    throw new Error(
      (error as Error).message.replace('FACTEUR_SMTP_URL', name).replace('user:password@', 'user@'),
      {
        cause: error,
      },
    )
  }
}
