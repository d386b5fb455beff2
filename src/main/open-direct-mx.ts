/**
 * Builds the dependencies of direct delivery: DNS, allowed addresses, our host name, and the
 * storage of what it learns.
 */
import { hostname } from 'node:os'
import type { Clock } from '../ground/clock.ts'
import type { Config } from '../ground/config.ts'
import type { Connection } from '../database/client/connect.ts'
import type { Resolver } from '../ground/dns/lookup.ts'
import { createOutbound } from '../ground/outbound/create-outbound.ts'
import { subnetList } from '../ground/outbound/check-address.ts'
import { resolveBy } from '../ground/outbound/resolve-by.ts'
import type { DirectMxOptions } from '../providers/direct-mx/create-direct-mx.ts'
import { createDestinationMemory } from '../providers/direct-mx/destination-memory.ts'
import { createStsMemory } from '../providers/direct-mx/sts-memory.ts'
import { createStsPolicies } from '../providers/direct-mx/sts-policies.ts'
import { createCountTls, type CountTls } from '../providers/direct-mx/tls-results.ts'
import type { Sign } from '../providers/provider.ts'

export interface DirectMxParts {
  clock: Clock
  log: { warn(fields: object, message: string): void }
  countingDb: Connection
  db: Connection
  resolver: Resolver
  sign: Sign
}

export function directMxOptions(config: Config, parts: DirectMxParts): DirectMxOptions {
  const { clock, log, resolver, sign, countingDb } = parts
  const name = config.heloName ?? hostname()
  const countTls = createCountTls({ countingDb, clock, log })
  return {
    ...{ clock, log, resolver, sign, countTls },
    memory: createDestinationMemory({ countingDb, clock, log }),
    openPolicies: (stopping) => openPolicies(config, parts, { countTls, stopping }),
    // RFC 5321 4.1.4: a name that the world can look up, or else an address literal.
    ...(name.includes('.') && { heloName: name }),
    sourceAddresses: config.sourceAddresses,
    port: config.mxPort,
    connectionsEach: config.mxConnections,
    allowed: subnetList(config.allowedRanges),
  }
}

/** Policy pages use the same resolver as mail hosts. */
function openPolicies(
  { allowedRanges, mtaStsPort }: Config,
  { clock, log, resolver, db }: DirectMxParts,
  { countTls, stopping }: { countTls: CountTls; stopping: AbortSignal },
) {
  const outbound = createOutbound({
    allowed: subnetList(allowedRanges),
    allowsRanges: allowedRanges.length > 0,
    userAgent: 'Facteur',
    resolve: resolveBy(resolver),
  })
  stopping.addEventListener('abort', () => void outbound.close(), { once: true })
  const memory = createStsMemory({ db, clock, log, stopping })
  return createStsPolicies({
    clock,
    log,
    resolver,
    outbound,
    memory,
    countTls,
    stopping,
    policyPort: mtaStsPort,
  })
}
