/** Checks that mail can leave by the provider that the operator chose. */
import type { ProviderChoice } from '../../../providers/open-provider.ts'
import { messageOf, passed, failed } from './check.ts'
import type { Check } from './check.ts'
import { checkRelay } from './check-relay.ts'
import { checkSes } from './check-ses.ts'
import type { SesParts } from './check-ses.ts'

export interface ProviderParts extends SesParts {
  /** Where the operator wrote a relay's address. */
  setting: string
  baseUrl: string
}

export async function checkProvider(choice: ProviderChoice, parts: ProviderParts): Promise<Check> {
  try {
    return await check(choice, parts)
  } catch (error) {
    return failed('provider', messageOf(error), `Mend ${parts.setting}.`)
  }
}

async function check(choice: ProviderChoice, parts: ProviderParts): Promise<Check> {
  switch (choice.type) {
    case 'local-capture':
      return passed('provider', `capture mailbox: nothing leaves, mail is shown on ${parts.baseUrl}/captured`)
    case 'smtp-relay':
      return checkRelay(choice.relay, parts)
    case 'direct-mx':
      return passed('provider', 'direct-mx: mail goes to the hosts of its recipients; doctor --delivery tries it')
    case 'amazon-ses':
      return checkSes(choice.settings, parts)
    default:
      return choice satisfies never
  }
}
