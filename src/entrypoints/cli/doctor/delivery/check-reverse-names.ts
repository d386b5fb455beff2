/** Checks that our IP addresses have names that lead back to them: Gmail and others refuse mail from addresses without. */
import { passed, failed, warned, type Check } from '../check.ts'
import { isIP } from 'node:net'
import { expandMacros } from '../../../../dns/spf-macros.ts'
import { providerKinds } from '../../../../providers/registry.ts'
import type { DeliveryParts } from './dial-host.ts'

export async function checkReverseNames({ config, resolver }: DeliveryParts): Promise<Check[]> {
  if (!providerKinds[config.provider].dialsHosts) return []
  return Promise.all(config.sourceAddresses.map((address) => checkAddress({ config, resolver }, address)))
}

async function checkAddress({ config, resolver }: Pick<DeliveryParts, 'config' | 'resolver'>, address: string): Promise<Check> {
  const title = `name of ${address}`
  const lookup = await resolver.resolve(reverseName(address), 'PTR')
  if (lookup.kind === 'failed') return warned(title, `DNS does not answer (${lookup.why})`, 'Ask again in a while.')
  const next = `Ask the provider of the address to set its reverse DNS to ${config.heloName ?? 'the name of this machine'}.`
  const [host] = lookup.kind === 'found' ? lookup.records : []
  if (host === undefined) return failed(title, 'it has none (no PTR record)', next)
  const back = await resolver.resolve(host, isIP(address) === 6 ? 'AAAA' : 'A')
  if (back.kind !== 'found' || !back.records.includes(address))
    return failed(title, `${host}, which does not lead back to it`, next)
  if (config.heloName !== null && host !== config.heloName)
    return warned(title, `${host}; FACTEUR_HELO_NAME says ${config.heloName}`, 'Let both be one name.')
  return passed(title, `${host}, which leads back to it`)
}

/** RFC 1035 3.5, RFC 3596 2.5: the octets or hexadecimal digits in reverse order. */
const reverseName = (address: string): string =>
  `${expandMacros('%{ir}', { address, domain: '', sender: '' }) ?? ''}.${isIP(address) === 6 ? 'ip6' : 'in-addr'}.arpa`
