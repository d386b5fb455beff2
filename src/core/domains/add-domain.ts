/** POST /domains: adds a sending domain, and lists the DNS records that prove it. */
import type { InputOf } from '../../contract/operations.ts'
import { shapeError } from '../input/shape-error.ts'
import { answerDomain } from './answer-domain.ts'
import { openDomain, type OpeningDomain } from './open-domain.ts'
import { mustBeDomain } from './read-domain-name.ts'
import type { Verb } from '../verb.ts'

/** Throws `validation_error`. */
export const addDomain: Verb<'addDomain'> = async (ctx, { body }) => {
  const name = mustBeDomain(body.name, 'name')
  const hosts = {
    returnPathHost: hostOf(body, { name, host: 'return_path_host', label: 'custom_return_path' }),
    trackingHost: hostOf(body, { name, host: 'tracking_host', label: 'tracking_subdomain' }),
  }
  checkHosts(name, hosts)
  const domain = await openDomain(ctx, { workspaceId: ctx.workspaceId, name, ...hosts })
  return answerDomain(ctx, domain)
}

type DomainInput = InputOf<'addDomain'>['body']

/** Either the host, or what stands before the domain; both have to mean the same. */
function hostOf(
  input: DomainInput,
  at: {
    name: string
    host: 'return_path_host' | 'tracking_host'
    label: 'custom_return_path' | 'tracking_subdomain'
  },
): string | null {
  const host = readHost(input[at.host] ?? '', at.host)
  const label = (input[at.label] ?? '').trim()
  const below = readHost(label === '' ? '' : `${label}.${at.name}`, at.label)
  if (host !== null && below !== null && host !== below)
    throw shapeError([{ path: at.label, rule: 'alias_differs' }])
  return host ?? below
}

const readHost = (text: string, path: string): string | null =>
  text.trim() === '' ? null : mustBeDomain(text, path)

/**
 * The longest DKIM key name of a domain puts 22 bytes in front of it; a name has at most 253 (RFC
 * 1035 2.3.4).
 */
const domainMax = 231

/** Validates a domain and the hosts below it: one for return paths and one for links. */
function checkHosts(
  name: string,
  { returnPathHost, trackingHost }: Omit<OpeningDomain, 'workspaceId' | 'name'>,
): void {
  if (name.length > domainMax) throw shapeError([{ path: 'name', rule: 'domain_too_long' }])
  const isBelow = (host: string | null): boolean => host === null || host.endsWith(`.${name}`)
  if (!isBelow(returnPathHost))
    throw shapeError([{ path: 'return_path_host', rule: 'below_domain' }])
  if (!isBelow(trackingHost)) throw shapeError([{ path: 'tracking_host', rule: 'below_domain' }])
  // RFC 1034 3.6.2: an alias allows no other record at its name.
  if ((returnPathHost ?? `bounce.${name}`) === (trackingHost ?? `links.${name}`))
    throw shapeError([
      { path: returnPathHost === null ? 'tracking_host' : 'return_path_host', rule: 'same_host' },
    ])
}
