/**
 * Admits messages to the ledger. Concurrent calls of one workspace share a transaction; a call that
 * fails never fails another (semantics 1).
 */
import {
  admitUnits,
  existingMessages,
  insertAttachments,
  overtakenState,
  type AdmissionResult,
  type AdmissionUnit,
  type PutOff,
} from '../../db/sending/admissions.ts'
import { passesLater, sqlState } from '../../db/connection/database-errors.ts'
import type { Database } from '../../db/connection/database.ts'
import { gatherByWorkspace } from '../../gather.ts'
import type { AdmissionEnd, Context, Sending, Service } from '../context.ts'
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
  ctx: Parts & Pick<Service, 'wake' | 'sending'>,
  { workspaceId, unit }: { workspaceId: number; unit: AdmissionUnit },
): Promise<AdmissionResult> {
  ctx.sending.singles.untilMs = ctx.clock.monotonicMs() + singlesMs
  // Files take long to write: a call that has some is admitted alone, so that no other call waits
  // for them.
  const admission = hasFiles(unit)
    ? await tryAlone(ctx, workspaceId, unit, deadline(ctx))
    : await ctx.sending.admissions(workspaceId, unit)
  if ('error' in admission) throw admission.error
  if (admission.verdict === 'admitted') ctx.wake(isAllInline(unit) ? 'single' : 'transactional')
  return admission
}

/** Whether the call hands all its mail over itself: each row is leased to it. */
const isAllInline = ({ messages }: AdmissionUnit): boolean =>
  messages.every(({ recipients }) => recipients.every(({ inline }) => inline))

/**
 * The queue of calls that wait for their admission: those of one workspace share the next
 * statement.
 */
export function createAdmissions(
  ctx: Parts,
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

type Parts = Pick<Context, 'db' | 'settings' | 'failpoints' | 'clock'>

/** The result of the admission statement for one unit. */
type Written = Awaited<ReturnType<typeof admitUnits>>[number]

const isPutOff = (result: AdmissionEnd | PutOff): result is PutOff =>
  'verdict' in result && result.verdict === 'put_off'

const deadline = (ctx: Parts): number => ctx.clock.monotonicMs() + patienceMs

async function admitGroup(
  ctx: Parts,
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
      const result = together?.[index] ?? (await tryAlone(ctx, workspaceId, unit, endsAtMs))
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

async function tryAlone(
  ctx: Parts,
  workspaceId: number,
  unit: AdmissionUnit,
  endsAtMs: number,
): Promise<AdmissionEnd> {
  try {
    return await admitAlone(ctx, workspaceId, unit, endsAtMs)
  } catch (error) {
    return { error }
  }
}

/** Admits one unit; tries again until `endsAtMs` after errors that may pass. */
async function admitAlone(
  ctx: Parts,
  workspaceId: number,
  unit: AdmissionUnit,
  endsAtMs: number,
): Promise<AdmissionResult> {
  for (let waitMs = 25; ; waitMs = Math.min(waitMs * 2, 1000)) {
    try {
      // The answer to a commit may have been lost. A message that exists was admitted, and is not
      // admitted again.
      const earlier = await committedEarlier(ctx, workspaceId, unit)
      if (earlier) return earlier
      const [result = missing()] = await write(ctx, ctx.db, workspaceId, [unit])
      if (isPutOff(result)) throw new Error('A unit that was alone was put off')
      // Our own earlier statement may have committed in the meantime: then the key was taken by us.
      return result.verdict === 'key_taken'
        ? ((await committedEarlier(ctx, workspaceId, unit)) ?? result)
        : result
    } catch (error) {
      // Another call took the key or the rest of the quota meanwhile: the next look-up sees it.
      if (sqlState(error) === overtakenState && ctx.clock.monotonicMs() < endsAtMs) continue
      const ours = sqlState(error) === uniqueViolation
      if (!(ours || passesLater(error)) || ctx.clock.monotonicMs() + waitMs > endsAtMs) throw error
      await ctx.clock.sleep(waitMs)
    }
  }
}

/**
 * SQLSTATE 23505. We make new identifiers, so an existing row is our own: a connection was lost
 * after its commit.
 */
const uniqueViolation = '23505'

async function committedEarlier(
  ctx: Parts,
  workspaceId: number,
  unit: AdmissionUnit,
): Promise<AdmissionResult | null> {
  const [first] = unit.messages
  const [row] = await existingMessages(ctx.db, workspaceId, first ? [first.id] : [])
  return row ? { verdict: 'admitted', at: row.at } : null
}

const hasFiles = (unit: AdmissionUnit): boolean =>
  unit.messages.some((message) => message.attachments.length > 0)

async function write(
  ctx: Parts,
  db: Database,
  workspaceId: number,
  units: AdmissionUnit[],
): Promise<Written[]> {
  await ctx.failpoints?.hit('admit.before_write')
  const times = {
    inlineSeconds: ctx.settings.inlineSeconds,
    leaseSeconds: ctx.settings.leaseSeconds,
  }
  const [only] = units
  // A single statement needs no explicit transaction; files do, since they are written before it.
  const results =
    only && hasFiles(only)
      ? await writeWithFiles(ctx, workspaceId, only, times)
      : await admitUnits(db, workspaceId, units, times)
  await ctx.failpoints?.hit('admit.after_commit')
  return results
}

class NotAdmitted extends Error {
  readonly result: Written

  constructor(result: Written) {
    super(result.verdict)
    this.result = result
  }
}

/**
 * Writes the files first, so that the quota's row is locked only by the last statement. A refusal
 * rolls the files back.
 */
async function writeWithFiles(
  ctx: Parts,
  workspaceId: number,
  unit: AdmissionUnit,
  times: Parameters<typeof admitUnits>[3],
): Promise<Written[]> {
  try {
    return await ctx.db.transaction(async (tx) => {
      for (const { id, attachments } of unit.messages) {
        if (attachments.length > 0) await insertAttachments(tx, workspaceId, id, attachments)
      }
      const [result = missing()] = await admitUnits(tx, workspaceId, [unit], times)
      if (result.verdict !== 'admitted') throw new NotAdmitted(result)
      return [result]
    })
  } catch (error) {
    if (error instanceof NotAdmitted) return [error.result]
    throw error
  }
}

const missing = (): never => {
  throw new Error('An admission answered no row')
}
