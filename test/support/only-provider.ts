/** One provider for every workspace. */
import type { Provider } from '../../src/providers/provider.ts'
import { rateOf, type Providers } from '../../src/providers/providers.ts'

export function onlyProvider(provider: Provider, ratePerSecond: number | null): Providers {
  const rate = rateOf(provider, provider.name, ratePerSecond)
  return {
    deployment: provider,
    of: () => provider,
    rateOf: () => rate,
    open: () => [provider],
    feedbackSources: () => [],
    close: (withinMs) => provider.close(withinMs),
  }
}
