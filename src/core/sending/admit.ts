/**
 * Admits messages to the ledger. Concurrent calls of one workspace share a transaction; a call that
 * fails never fails another (semantics 1).
 */
import {
  admitUnits,
  type AdmissionResult,
  type AdmissionUnit,
  type PutOff,
} from '../../db/sending/admissions.ts'
import type { Database } from '../../database/client/database.ts'
import { gatherByWorkspace } from '../../ground/gather.ts'
import type { AdmissionEnd, Sending, Service } from '../context.ts'
import { tryAlone, type AdmissionParts } from './admit-alone.ts'
import { announcesSchedule } from '../events/schedule-events.ts'
import { singlesMs } from './hand-off.ts'
import type { MailsUnderWay } from './mails-under-way.ts'

/**
 * How long a call waits for a database that does not answer, in milliseconds. A call that falls out
 * of its group has the same limit.
 */
const patienceMs = 8000

/**
 * Admits a call's messages in one transaction with concurrent calls; `createAdmissions()` below
 * made `ctx.sending.admissions`.
 */
export async function admit(
  ctx: AdmissionParts & Pick<Service, 'wake' | 'sending'>,
  { workspaceId, unit }: { workspaceId: number; unit: AdmissionUnit },
): Promise<AdmissionResult> {
  ctx.sending.singles.untilMs = ctx.clock.monotonicMs() + singlesMs
  // Files take long to write: a call that has some is admitted alone, so that no other call waits
  // for them. So is a scheduled one whose event a webhook receives, since both share a transaction.
  const announces = isScheduled(unit) && (await announcesSchedule(ctx.db, workspaceId))
  const admission =
    hasFiles(unit) || announces
      ? await tryAlone(ctx, { ...{ workspaceId, unit, announces }, endsAtMs: deadline(ctx) })
      : await ctx.sending.admissions(workspaceId, unit)
  if ('error' in admission) throw admission.error
  if (announces) ctx.wake('webhook')
  if (admission.verdict === 'admitted') ctx.wake(isAllInline(unit) ? 'single' : 'transactional')
  return admission
}

const isScheduled = ({ messages }: AdmissionUnit): boolean =>
  messages.some(({ scheduledAt }) => scheduledAt !== null)

/** Whether the call hands all its mail over itself: each row is leased to it. */
const isAllInline = ({ messages }: AdmissionUnit): boolean =>
  messages.every(({ recipients }) => recipients.every(({ inline }) => inline))

/**
 * The queue of calls that wait for their admission: those of one workspace share the next
 * statement.
 */
export function createAdmissions(
  ctx: AdmissionParts,
  underWay: Pick<MailsUnderWay, 'all' | 'begin'>,
): Sending['admissions'] {
  const admissions = gatherByWorkspace({
    groupMax: 32,
    inHalves: true,
    atOnceMax: 2,
    // A caller whose mail is handed over in its call asks again later: its half of the crowd is
    // away until then.
    callers: underWay.all,
    work: (workspaceId) => {
      // Two statements share one connection: on two connections, the second would wait for the row
      // lock of the quota.
      const pipeline = ctx.db.pipeline()
      return (units: AdmissionUnit[]) => admitGroup(ctx, pipeline, workspaceId, units)
    },
  })
  return async (workspaceId, unit) => {
    const { ended } = underWay.begin(workspaceId)
    try {
      return await admissions(workspaceId, unit)
    } finally {
      ended()
    }
  }
}

const isPutOff = (result: AdmissionEnd | PutOff): result is PutOff =>
  'verdict' in result && result.verdict === 'put_off'

const deadline = (ctx: AdmissionParts): number => ctx.clock.monotonicMs() + patienceMs

async function admitGroup(
  ctx: AdmissionParts,
  db: Database,
  workspaceId: number,
  units: AdmissionUnit[],
): Promise<AdmissionEnd[]> {
  const endsAtMs = deadline(ctx)
  const results = new Map<AdmissionUnit, AdmissionEnd>()
  // Of two calls with the same key, the second waits for the next statement: the key is taken by
  // then.
  for (let rest = units; rest.length > 0; rest = rest.filter((unit) => !results.has(unit))) {
    const group = withoutRepeats(rest)
    // If a group fails, each call is retried alone, so that one bad call cannot fail the others.
    const together = await write(ctx, db, workspaceId, group).catch(() => null)
    for (const [index, unit] of group.entries()) {
      const result = together?.[index] ?? (await tryAlone(ctx, { workspaceId, unit, endsAtMs }))
      // A unit is put off when another of its statement was refused. The refused unit has its
      // result, so the next statement is without it.
      if (!isPutOff(result)) results.set(unit, result)
    }
  }
  return units.map((unit) => results.get(unit) ?? missing())
}

function withoutRepeats(units: AdmissionUnit[]): AdmissionUnit[] {
  const keys = new Set<string>()
  return units.filter((unit) => {
    if (!unit.idempotency) return true
    if (keys.has(unit.idempotency.key)) return false
    keys.add(unit.idempotency.key)
    return true
  })
}

const hasFiles = (unit: AdmissionUnit): boolean =>
  unit.messages.some((message) => message.attachments.length > 0)

async function write(
  ctx: AdmissionParts,
  db: Database,
  workspaceId: number,
  units: AdmissionUnit[],
): Promise<Awaited<ReturnType<typeof admitUnits>>> {
  await ctx.failpoints?.hit('admit.before_write')
  const results = await admitUnits(db, workspaceId, units, ctx.settings)
  await ctx.failpoints?.hit('admit.after_commit')
  return results
}

const missing = (): never => {
  throw new Error('An admission answered no row')
}
