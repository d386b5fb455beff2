/**
 * Checks whether a long-open transaction or an unread slot keeps the database server from cleaning
 * up.
 */
import type { Database } from '../../../database/client/database.ts'
import {
  isTooOld,
  horizonHolders,
  type HorizonHolder,
} from '../../../database/client/server-state.ts'
import { passed, warned, type Check } from './check.ts'

const names = {
  transaction: 'open transaction',
  prepared: 'prepared transaction',
  slot: 'unread replication slot',
} as const

export async function checkHorizon(db: Database): Promise<Check> {
  const holders = await horizonHolders(db)
  const late = holders.filter(isTooOld)
  const about = (late.length > 0 ? late : holders).map(describe).join('; ')
  if (late.length === 0) return passed('cleaning up', about)
  return warned(
    'cleaning up',
    `${about}: the database cannot clean up behind it`,
    late.map(nextStep).join(' '),
  )
}

function describe({ kind, holder, seconds, bytes }: HorizonHolder): string {
  if (holder === null) return `no ${names[kind]}`
  const age = seconds === null ? 'of unknown age' : `${Math.round(seconds)} s old`
  const retained = bytes === null ? '' : `, keeps ${Math.round(bytes / 1e6)} MB of the log`
  return `oldest ${names[kind]} (${holder}) is ${age}${retained}`
}

function nextStep({ kind, holder }: HorizonHolder): string {
  switch (kind) {
    case 'transaction':
      return `End ${holder}: commit it where it was begun, or run: select pg_terminate_backend(PROCESS)`
    case 'prepared':
      return `End it: commit prepared '${holder}', or: rollback prepared '${holder}'`
    case 'slot':
      return `Let its reader come back, or drop it: select pg_drop_replication_slot('${holder}')`
    default:
      return kind satisfies never
  }
}
