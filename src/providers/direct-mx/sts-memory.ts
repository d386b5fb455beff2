/** Stores policies of MTA-STS in the database, for all processes and the next start. */
import { repeatEvery, type Clock } from '../../ground/clock.ts'
import type { Database } from '../../database/client/database.ts'
import { storeStsPolicy, stsPoliciesSince } from '../../db/sending/sts-policies.ts'
import type { KnownPolicy, StsMemory } from './sts-policies.ts'

interface Parts {
  db: Database
  clock: Clock
  log: { warn(fields: object, message: string): void }
  /** Ends the reading of other processes' policies. */
  stopping: AbortSignal
}

const pollEveryMs = 60_000

export function createStsMemory({ db, clock, log, stopping }: Parts): StsMemory {
  let since: string | null = null
  const poll = async (report: (known: KnownPolicy) => void): Promise<void> => {
    try {
      const rows = await stsPoliciesSince(db, since)
      for (const { changedAt: _changedAt, ...known } of rows) report(known)
      since = rows.at(-1)?.changedAt ?? since
    } catch (error) {
      log.warn({ err: error }, 'Policies of MTA-STS were not read; the next round tries again')
    }
  }
  return {
    async watch(report) {
      await poll(report)
      void repeatEvery(clock, { everyMs: pollEveryMs, stopping, restsFirst: true }, () =>
        poll(report),
      )
    },
    keep(domain, { id, mode, mx, maxAgeSeconds }) {
      storeStsPolicy(db, { domain, id, mode, mx, maxAgeSeconds }).catch((error: unknown) =>
        log.warn({ err: error, domain }, 'A policy of MTA-STS was not stored'),
      )
    },
  }
}
