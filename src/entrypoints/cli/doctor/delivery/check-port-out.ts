/** Checks that this host can reach mail hosts: many hosting providers close port 25 until a customer asks. */
import { passed, failed, type Check } from '../check.ts'
import { providerKinds } from '../../../../providers/registry.ts'
import type { DeliveryParts } from './delivery-parts.ts'
import { dialHost, mailHostsOf } from './dial-host.ts'

export async function checkPortOut({ surroundings, config, resolver, peer }: DeliveryParts): Promise<Check> {
  const { clock, signal } = surroundings
  const name = `port ${config.mxPort} out`
  if (!providerKinds[config.provider].dialsHosts) return passed(name, `not needed: mail leaves by ${config.provider}`)
  const hosts = await mailHostsOf(resolver, peer)
  if (typeof hosts === 'string') return failed(name, hosts, 'Name another domain by --peer, or mend FACTEUR_DNS_SERVERS.')
  const failures: string[] = []
  for (const { host, address } of hosts.slice(0, 4)) {
    const failure = await dialHost({ clock, signal, config }, { address, port: config.mxPort })
    if (failure === null) return passed(name, `${host} (${address}) answers`)
    failures.push(`${address}: ${failure}`)
  }
  return failed(
    name,
    `the mail hosts of ${peer} cannot be reached: ${failures.join('; ')}`,
    'Ask the hosting provider to open port 25, or send by a relay: FACTEUR_PROVIDER=smtp-relay.',
  )
}
