/**
 * Checks that our IP addresses have names that lead back to them: Gmail and others refuse mail from
 * addresses without.
 */
import { findReverseName } from '../../../../ground/dns/reverse-name.ts'
import { providerKinds } from '../../../../providers/registry.ts'
import { passed, failed, warned, type Check } from '../check.ts'
import type { DeliveryParts } from './dial-host.ts'

export async function checkReverseNames({ config, resolver }: DeliveryParts): Promise<Check[]> {
  if (!providerKinds[config.provider].dialsHosts) return []
  return Promise.all(
    config.sourceAddresses.map((address) => checkAddress({ config, resolver }, address)),
  )
}

async function checkAddress(
  { config, resolver }: Pick<DeliveryParts, 'config' | 'resolver'>,
  address: string,
): Promise<Check> {
  const title = `name of ${address}`
  const reverseName = await findReverseName(resolver, address)
  if (reverseName.kind === 'failed')
    return warned(title, `DNS does not answer (${reverseName.why})`, 'Ask again in a while.')
  const next = `Ask the provider of the address to set its reverse DNS to ${config.heloName ?? 'the name of this machine'}.`
  if (reverseName.kind === 'none') return failed(title, 'it has none (no PTR record)', next)
  if (reverseName.kind === 'elsewhere')
    return failed(title, `${reverseName.host}, which does not lead back to it`, next)
  if (config.heloName !== null && reverseName.host !== config.heloName)
    return warned(
      title,
      `${reverseName.host}; FACTEUR_HELO_NAME says ${config.heloName}`,
      'Let both be one name.',
    )
  return passed(title, `${reverseName.host}, which leads back to it`)
}
