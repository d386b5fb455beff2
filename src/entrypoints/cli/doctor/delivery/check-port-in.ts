/** Checks that bounces can reach our inbound port by its public name. */
import { passed, failed, warned, type Check } from '../check.ts'
import type { DeliveryParts } from './delivery-parts.ts'
import { dialHost, mailHostsOf } from './dial-host.ts'

export async function checkPortIn({ surroundings, config, resolver }: DeliveryParts): Promise<Check> {
  const { clock, signal } = surroundings
  const { inboundDomain, inboundPort, mxPort } = config
  const name = `port ${mxPort} in`
  if (inboundDomain === null)
    return warned(
      name,
      'bounces and complaints by mail are not heard',
      'Set FACTEUR_INBOUND_DOMAIN and FACTEUR_INBOUND_PORT: docs/inbound.md.',
    )
  const hosts = await mailHostsOf(resolver, inboundDomain)
  if (typeof hosts === 'string') return failed(name, hosts, `Set an MX record of ${inboundDomain} that names this machine.`)
  for (const { host, address } of hosts) {
    const failure = await dialHost({ clock, signal, config }, { address, port: mxPort })
    if (failure !== null)
      return failed(
        name,
        `${inboundDomain} leads to ${host} (${address}), which does not answer: ${failure}`,
        `Start a process with the inbound role${inboundPort === null ? ' and FACTEUR_INBOUND_PORT' : ''}, and let port ${mxPort} of that address lead to it.`,
      )
  }
  return passed(name, `${hosts.map(({ host }) => host).join(', ')} answers for ${inboundDomain}`)
}
