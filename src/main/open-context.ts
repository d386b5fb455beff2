/** Builds the context of every operation, from the settings and a ready database. */
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Context } from '../core/context.ts'
import { createSignMail } from '../core/domains/sign-mail.ts'
import { createMailDomains } from '../core/domains/mail-domains.ts'
import { watchOutage } from '../core/outage-watch.ts'
import { breakStatements } from '../db/connection/break-statements.ts'
import { connect } from '../db/connection/connect.ts'
import { ignoreFullDisk } from '../db/connection/database-errors.ts'
import { databaseTimeMs } from '../db/connection/schema-state.ts'
import { serversOf } from '../db/connection/servers.ts'
import { openHints } from '../db/sending/hints.ts'
import type { DueLane } from '../db/sending/due.ts'
import { createFailpoints } from '../failpoints.ts'
import { makeIds } from '../ids.ts'
import { createLinkTokens } from '../link-tokens.ts'
import type { Log } from '../log.ts'
import { createVerpTokens } from '../mail/reports/verp.ts'
import { openOutbound, openResolver } from './open-outbound.ts'
import { openProviders } from './open-providers.ts'
import { openSecrets } from './open-secrets.ts'
import { settingsOf } from './service-settings.ts'

export interface OpenContext extends Context {
  /** Wakes this process's workers when a lane has work; set once the workers run. */
  onWake: (lane: DueLane) => void
  /** Keeps all later statements back; resolves when those under way have ended. */
  hold(): Promise<void>
  /** The statements that are held go to another database. */
  moveTo(connectionString: string): void
  /** Lets them go. */
  release(): void
  /** Ends hints and pools after the statements under way; call it after the provider is closed. */
  close(): Promise<void>
}

/**
 * Largest number of PostgreSQL connections of each process: for statements, for counters, and one that listens for
 * hints.
 */
export const processConnections = { durable: 10, counting: 4, hints: 1 }

/** Throws when the master key is not the one of this database, or the database fails; nothing is left open then. */
export async function openContext(config: Config, plainLog: Log, connectionString: string): Promise<OpenContext> {
  const failpoints = createFailpoints(config.failpoints, systemClock)
  const outage = watchOutage({ clock: systemClock, log: plainLog })
  const { log } = outage
  const onError = (error: Error): void => {
    if (failpoints.broken('connect.listener')) throw error
    outage.broke(error)
  }
  const durable = !failpoints.broken('connect.durable')
  if (failpoints.broken('connect.full_disk')) ignoreFullDisk()
  if (failpoints.broken('connect.timeline')) serversOf(connectionString).refusesFormer = false
  const db = breakStatements(
    connect({ connectionString, onError, watch: outage, poolSize: processConnections.durable, durable }),
    failpoints,
  )
  const countingDb = breakStatements(
    connect({ connectionString, onError, watch: outage, poolSize: processConnections.counting, durable: false }),
    failpoints,
  )
  const end = async (reason: unknown): Promise<never> => {
    await db.end()
    await countingDb.end()
    throw reason
  }
  outage.start(() => databaseTimeMs(countingDb))
  const secrets = await openSecrets(config, db).catch(end)
  const settings = await settingsOf(config, db).catch(end)
  const outbound = openOutbound(config)
  const resolver = openResolver(config)
  const mailDomains = createMailDomains({ db, secrets, clock: systemClock, baseUrl: config.baseUrl })
  const sign = createSignMail(mailDomains)
  const parts = { db, countingDb, secrets, clock: systemClock, log, outbound, resolver, sign }
  const providers = await openProviders(config, parts).catch(end)
  const hints = openHints({ connectionString, clock: systemClock, onHint: (lane) => ctx.onWake(lane) })
  const ctx: OpenContext = {
    db,
    countingDb,
    clock: systemClock,
    makeId: makeIds(() => systemClock.now().getTime()),
    linkTokens: createLinkTokens(secrets.derive('links')),
    secrets,
    resolver,
    mailDomains,
    verp: createVerpTokens(secrets.derive('return path')),
    outbound,
    log,
    providers,
    settings,
    failpoints,
    wake(lane) {
      ctx.onWake(lane)
      hints.tell(lane)
    },
    onWake: () => undefined,
    async hold() {
      await Promise.all([db.hold(), countingDb.hold()])
    },
    moveTo(other) {
      for (const each of [db, countingDb, hints]) each.moveTo(other)
    },
    release() {
      for (const each of [db, countingDb]) each.release()
    },
    async close() {
      outage.stop()
      await hints.close()
      await ctx.outbound.close()
      await Promise.all([db.end(), countingDb.end()])
    },
  }
  return ctx
}
