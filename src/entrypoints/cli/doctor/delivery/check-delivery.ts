/** `doctor --delivery`: checks the whole path of a mail out and of its bounce back, each step by itself. */
import type { Config } from '../../../../config.ts'
import { connect, type Connection } from '../../../../db/connection/connect.ts'
import { createVerpTokens } from '../../../../mail/reports/verp.ts'
import type { Surroundings } from '../../command.ts'
import { messageOf, failed, type Check } from '../check.ts'
import { checkBounce } from './check-bounce.ts'
import { checkDomainRecords } from './check-domain-records.ts'
import { checkOutsideClock } from './check-outside-clock.ts'
import { checkPortIn } from './check-port-in.ts'
import { checkPortOut } from './check-port-out.ts'
import { checkReverseNames } from './check-reverse-names.ts'
import type { DeliveryParts } from './delivery-parts.ts'

/** Sends one mail: to ourselves. Dials the peer's mail host and says nothing to it. */
export async function checkDelivery(surroundings: Surroundings, config: Config, peer: string): Promise<Check[]> {
  const parts: DeliveryParts = { surroundings, config, peer, resolver: surroundings.openResolver(config) }
  const [out, reverse, within, clock] = await Promise.all([
    checkPortOut(parts),
    checkReverseNames(parts),
    checkPortIn(parts),
    checkOutsideClock(parts),
  ])
  const ours = await withDatabase(parts, async (db) => [
    ...(await checkDomainRecords(parts, db)),
    await checkBounce(parts, {
      db,
      verp: createVerpTokens((await surroundings.openSecrets(config, db)).derive('return path')),
      reachable: within.status === 'ok',
    }),
  ])
  return [...ours.slice(0, -1), out, ...reverse, within, ...ours.slice(-1), clock]
}

async function withDatabase(
  { surroundings, config }: DeliveryParts,
  work: (db: Connection) => Promise<Check[]>,
): Promise<Check[]> {
  try {
    return await surroundings.withDatabase(config, surroundings.progress, async (connectionString) => {
      const db = connect({ connectionString, poolSize: 2, applicationName: 'facteur doctor' })
      try {
        return await work(db)
      } finally {
        await db.end()
      }
    })
  } catch (error) {
    return [failed('domains', messageOf(error), 'Mend the database first.')]
  }
}
