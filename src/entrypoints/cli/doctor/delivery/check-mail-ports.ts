/**
 * Checks the port of mail hosts both ways: whether we reach them, and whether bounces can reach us
 * by our public name.
 */
import { providerKinds } from '../../../../providers/registry.ts'
import { passed, failed, warned, type Check } from '../check.ts'
import { dialHost, mailHostsOf, type DeliveryParts } from './dial-host.ts'

/** Many hosting providers close port 25 until a customer asks. */
export async function checkPortOut(parts: DeliveryParts & { peer: string }): Promise<Check> {
  const { config, resolver, peer } = parts
  const name = `port ${config.mxPort} out`
  if (!providerKinds[config.provider].dialsHosts)
    return passed(name, `not needed: mail leaves by ${config.provider}`)
  const hosts = await mailHostsOf(resolver, peer)
  if (typeof hosts === 'string')
    return failed(name, hosts, 'Name another domain by --peer, or mend FACTEUR_DNS_SERVERS.')
  const failures: string[] = []
  for (const { host, address } of hosts.slice(0, 4)) {
    const failure = await dialHost(parts, address)
    if (failure === null) return passed(name, `${host} (${address}) answers`)
    failures.push(`${address}: ${failure}`)
  }
  return failed(
    name,
    `the mail hosts of ${peer} cannot be reached: ${failures.join('; ')}`,
    'Ask the hosting provider to open port 25, or send by a relay: FACTEUR_PROVIDER=smtp-relay.',
  )
}

export async function checkPortIn(parts: DeliveryParts): Promise<Check> {
  const { inboundDomain, inboundPort, mxPort } = parts.config
  const name = `port ${mxPort} in`
  if (inboundDomain === null)
    return warned(
      name,
      'bounces and complaints by mail are not accepted',
      'Set FACTEUR_INBOUND_DOMAIN and FACTEUR_INBOUND_PORT: docs/inbound.md.',
    )
  const hosts = await mailHostsOf(parts.resolver, inboundDomain)
  if (typeof hosts === 'string')
    return failed(name, hosts, `Set an MX record of ${inboundDomain} that names this machine.`)
  for (const { host, address } of hosts) {
    const failure = await dialHost(parts, address)
    if (failure !== null)
      return failed(
        name,
        `${inboundDomain} leads to ${host} (${address}), which does not answer: ${failure}`,
        `Start a process with the inbound role${inboundPort === null ? ' and FACTEUR_INBOUND_PORT' : ''}, and let port ${mxPort} of that address lead to it.`,
      )
  }
  return passed(name, `${hosts.map(({ host }) => host).join(', ')} answers for ${inboundDomain}`)
}
