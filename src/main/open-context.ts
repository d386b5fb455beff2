/** Builds the context of every operation, from the settings and a ready database. */
import { systemClock, systemTimeMs } from '../ground/clock.ts'
import type { Config } from '../ground/config.ts'
import { oneDatabase, type Databases } from '../core/databases.ts'
import type { Context } from '../core/context.ts'
import { createSignMail } from '../core/domains/sign-mail.ts'
import { createMailDomains } from '../core/domains/mail-domains.ts'
import { gatherMoveRefusals } from './gather-move-refusals.ts'
import { watchOutage } from '../core/outage-watch.ts'
import { homeCell } from '../database/cells/cell-changes.ts'
import { requireSchema, type Cell } from '../database/cells/cells.ts'
import { breakStatements } from '../database/client/break-statements.ts'
import { connect, type Connection } from '../database/client/connect.ts'
import { ignoreFullDisk } from '../database/client/database-errors.ts'
import { databaseTimeMs } from '../database/schema/schema-state.ts'
import { describePrimary, serversOf } from '../database/client/servers.ts'
import { openWakeUps, type WakeUps } from '../database/cells/hints.ts'
import type { WakeUp } from '../db/sending/due.ts'
import { createFailpoints } from '../ground/failpoints.ts'
import { makeIds } from '../ground/ids.ts'
import { createLinkTokens } from '../ground/link-tokens.ts'
import type { Log } from '../ground/log.ts'
import { createVerpTokens } from '../mail/reports/verp.ts'
import { openOutbound, openResolver } from './open-outbound.ts'
import { openProviders } from './open-providers.ts'
import { openSecrets } from './open-secrets.ts'
import { settingsOf } from './service-settings.ts'

export interface OpenContext extends Context {
  /** Wakes the workers of this process, once they run, and those of others. */
  hints: Pick<WakeUps<WakeUp>, 'local'>
  /** Another process has changed cells; set once they are looked for. */
  onCells: () => void
  /** Another process has woken; set once calls may wait for that. */
  onWakeUp: (hint: WakeUp) => void
  /** Finds the context of a workspace; the only one until others are opened. */
  databases: Databases<Context>
  /**
   * Opens another cell: with pools of its own, and everything else of this context. Rejects while
   * it does not answer.
   */
  openCell(cell: Cell): Promise<Context>
  /** Keeps all later statements back; resolves when those under way have ended. */
  pauseStatements(): Promise<void>
  /** The statements that are held go to another database. */
  moveTo(connectionString: string): void
  /** Lets them go. */
  release(): void
  /** Ends hints and pools after the statements under way; call it after the provider is closed. */
  close(): Promise<void>
}

/**
 * Largest number of PostgreSQL connections of each process: for statements, for counters, and one
 * that listens for hints. The first two are for each cell.
 */
export const processConnections = { durable: 10, counting: 4, segments: 4, hints: 1 }

/**
 * Throws when the master key is not the one of this database, or the database fails; nothing is
 * left open then.
 */
export async function openContext(
  config: Config,
  plainLog: Log,
  connectionString: string,
): Promise<OpenContext> {
  const failpoints = createFailpoints(config.failpoints, systemClock)
  const outage = watchOutage({
    clock: systemClock,
    log: gatherMoveRefusals({ clock: systemClock, log: plainLog }),
  })
  const { log } = outage
  const onError = (error: Error): void => {
    if (failpoints?.broken('connect.listener')) throw error
    outage.broke(error)
  }
  const durable = !failpoints?.broken('connect.durable')
  const noticesSilence = !failpoints?.broken('connect.timeouts')
  if (failpoints?.broken('connect.full_disk')) ignoreFullDisk()
  if (failpoints?.broken('connect.timeline')) serversOf(connectionString).refusesFormer = false
  const pools: Connection[] = []
  let server = connectionString
  const reportPrimaries = (address: string): void => {
    serversOf(address).onNewPrimary = (primary, former) =>
      plainLog.info(
        { primary, former },
        `New primary ${describePrimary(primary)} (was ${describePrimary(former)})`,
      )
  }
  reportPrimaries(server)
  const openPool = (
    schema: string,
    durability: { poolSize: number; durable: boolean },
  ): Connection => {
    const options = {
      connectionString: server,
      schema,
      onError,
      watch: outage,
      noticesSilence,
      ...durability,
    }
    const pool = breakStatements(connect(options), failpoints)
    pools.push(pool)
    return pool
  }
  const openPools = ({ schema }: Cell): Pick<Context, 'db' | 'countingDb' | 'segmentDb'> => ({
    db: openPool(schema, { poolSize: processConnections.durable, durable }),
    countingDb: openPool(schema, { poolSize: processConnections.counting, durable: false }),
    segmentDb: openPool(schema, { poolSize: processConnections.segments, durable }),
  })
  const { db, countingDb, segmentDb } = openPools(homeCell)
  const end = async (reason: unknown): Promise<never> => {
    await Promise.all(pools.map((pool) => pool.end()))
    throw reason
  }
  outage.start(() => databaseTimeMs(countingDb))
  const secrets = await openSecrets(config, db).catch(end)
  const settings = await settingsOf(config, db).catch(end)
  const outbound = openOutbound(config)
  const resolver = openResolver(config)
  const base = { databases: oneDatabase(() => ctx), secrets, clock: systemClock }
  const mailDomains = createMailDomains(base, settings)
  const sign = createSignMail(mailDomains, log)
  const parts = { db, countingDb, secrets, clock: systemClock, log, outbound, resolver, sign }
  const providers = openProviders(config, parts)
  await providers.addDatabase(db).catch(end)
  const hints = openWakeUps<WakeUp>({
    // This process marks a single mail itself.
    forOthers: 'single',
    ...{ connectionString, clock: systemClock },
    onCells: () => ctx.onCells(),
    onWakeUp: (hint) => ctx.onWakeUp(hint),
  })
  const ctx: OpenContext = Object.assign(base, {
    databaseId: homeCell.id,
    db,
    countingDb,
    segmentDb,
    makeId: makeIds(systemTimeMs),
    linkTokens: createLinkTokens(secrets.derive('links')),
    resolver,
    mailDomains,
    verp: createVerpTokens(secrets.derive('return path')),
    outbound,
    log,
    providers,
    settings,
    failpoints,
    wake: hints.wakeIn(homeCell.id),
    hints,
    onCells: () => undefined,
    onWakeUp: () => undefined,
    async openCell(cell: Cell) {
      const ofCell = openPools(cell)
      try {
        await requireSchema(ofCell.db, cell)
        await providers.addDatabase(ofCell.db)
      } catch (error) {
        for (const pool of Object.values(ofCell)) {
          pools.splice(pools.indexOf(pool), 1)
          pool.end().catch(() => undefined)
        }
        throw error
      }
      return { ...ctx, ...ofCell, databaseId: cell.id, wake: hints.wakeIn(cell.id) }
    },
    async pauseStatements() {
      await Promise.all(pools.map((pool) => pool.pauseStatements()))
    },
    moveTo(other: string) {
      server = other
      reportPrimaries(other)
      for (const each of [...pools, hints]) each.moveTo(other)
    },
    release() {
      for (const pool of pools) pool.release()
    },
    async close() {
      outage.stop()
      await hints.close()
      await ctx.outbound.close()
      await Promise.all(pools.map((pool) => pool.end()))
    },
  })
  return ctx
}
