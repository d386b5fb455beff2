/** The providers of a service under test, opened and routed as the program does it. */
import { systemClock } from '../../src/ground/clock.ts'
import type { Log } from '../../src/ground/log.ts'
import type { Connection } from '../../src/database/client/connect.ts'
import type { Resolver } from '../../src/ground/dns/lookup.ts'
import type { Outbound } from '../../src/ground/outbound/create-outbound.ts'
import { subnetList, loopbackRanges } from '../../src/ground/outbound/check-address.ts'
import { createDestinationMemory } from '../../src/providers/direct-mx/destination-memory.ts'
import type { ProviderChoice } from '../../src/providers/provider-kind.ts'
import type { Envelope } from '../../src/providers/provider.ts'
import type { Providers } from '../../src/providers/providers.ts'
import { routeProviders } from '../../src/providers/route-providers.ts'
import type { Secrets } from '../../src/ground/secrets.ts'

interface Parts {
  db: Connection
  countingDb: Connection
  secrets: Secrets
  log: Log
  outbound: Outbound
  resolver: Resolver
  choice: ProviderChoice
}

export async function routeTestProviders({
  db,
  countingDb,
  secrets,
  log,
  outbound,
  resolver,
  choice,
}: Parts): Promise<Providers> {
  const ports = {
    ...{ clock: systemClock, outbound, secrets },
    directMx: {
      ...{
        clock: systemClock,
        log,
        resolver,
        sourceAddresses: [],
        port: 25,
        connectionsEach: 1,
        openPolicies: () => ({ of: () => Promise.resolve(null) }),
        countTls: () => undefined,
        allowed: subnetList(loopbackRanges),
      },
      memory: createDestinationMemory({ countingDb, clock: systemClock, log }),
      sign: (envelope: Envelope) => Promise.resolve(envelope),
    },
  }
  const providers = routeProviders({
    ...{
      clock: systemClock,
      secrets,
      log,
      deployment: choice,
      formerAccounts: [],
      ratePerSecond: null,
    },
    ports,
  })
  await providers.addDatabase(db)
  return providers
}
