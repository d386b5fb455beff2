/** Checks that mail can leave by the provider that the operator chose. */
import type { CheckParts } from '../../../providers/provider-check.ts'
import type { ProviderChoice } from '../../../providers/provider-kind.ts'
import { failed, messageOf, type Check } from './check.ts'

export async function checkProvider(choice: ProviderChoice, parts: CheckParts): Promise<Check> {
  try {
    return await choice.check(parts)
  } catch (error) {
    return failed('provider', messageOf(error), `Mend ${parts.nameOf('url')}.`)
  }
}
