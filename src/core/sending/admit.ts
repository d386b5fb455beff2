/** Admits messages: concurrent calls of one workspace share a transaction, and one that fails never fails another (semantics 1). */
import { admitUnits, existingMessages, insertAttachments, refusedState } from '../../db/sending/admissions.ts'
import type { AdmissionUnit, PutOff } from '../../db/sending/admissions.ts'
import { passesLater, sqlState } from '../../db/connection/connect.ts'
import type { Database } from '../../db/connection/connect.ts'
import { gatherByWorkspace } from '../../gather.ts'
import type { Admission, Context, Sending } from '../context.ts'

/** How long a call waits for a database that does not answer, in milliseconds; what is shared is not more patient. */
const patienceMs = 8000

export function createAdmit(ctx: Parts & Pick<Context, 'wake'>): Sending['admit'] {
  const together = gatherByWorkspace({
    groupMax: 32,
    inHalves: true,
    atOnceMax: 2,
    work: (workspaceId) => {
      // Two on one connection: on two of their own, the second would wait for the first to let go of the quota's row.
      const pipeline = ctx.db.pipeline()
      return (units: AdmissionUnit[]) => admitGroup(ctx, pipeline, workspaceId, units)
    },
  })
  return async (workspaceId, unit) => {
    // Files take their time: nobody else's call waits for them.
    const admission = hasFiles(unit) ? await tryAlone(ctx, workspaceId, unit, deadline(ctx)) : await together(workspaceId, unit)
    if ('error' in admission) throw admission.error
    if (admission.verdict === 'admitted') ctx.wake('transactional')
    return admission
  }
}

type Parts = Pick<Context, 'db' | 'settings' | 'failpoints' | 'clock'>

/** What one statement says of a unit. */
type Written = Awaited<ReturnType<typeof admitUnits>>[number]

/** One unit's end: its verdict, or the error that is its alone. */
type Ended = Admission | { error: unknown }

const isPutOff = (result: Ended | PutOff): result is PutOff => 'verdict' in result && result.verdict === 'put_off'

const deadline = (ctx: Parts): number => ctx.clock.monotonicMs() + patienceMs

async function admitGroup(ctx: Parts, db: Database, workspaceId: number, units: AdmissionUnit[]): Promise<Ended[]> {
  const endsAtMs = deadline(ctx)
  const results = new Map<AdmissionUnit, Ended>()
  // A twin of a call in the same group waits for the next: its key is taken by then.
  for (let rest = units; rest.length > 0; rest = rest.filter((unit) => !results.has(unit))) {
    const group = withoutTwins(rest)
    // If a group fails, each call is retried alone, so that one bad call cannot fail the others.
    const together = await write(ctx, db, workspaceId, group).catch(() => null)
    for (const [index, unit] of group.entries()) {
      const result = together?.[index] ?? (await tryAlone(ctx, workspaceId, unit, endsAtMs))
      // One of the others was refused, and has its answer: the next statement is without it.
      if (!isPutOff(result)) results.set(unit, result)
    }
  }
  return units.map((unit) => results.get(unit) ?? missing())
}

function withoutTwins(units: AdmissionUnit[]): AdmissionUnit[] {
  const keys = new Set<string>()
  return units.filter((unit) => {
    if (!unit.idempotency) return true
    if (keys.has(unit.idempotency.key)) return false
    keys.add(unit.idempotency.key)
    return true
  })
}

async function tryAlone(ctx: Parts, workspaceId: number, unit: AdmissionUnit, endsAtMs: number): Promise<Ended> {
  try {
    return await admitAlone(ctx, workspaceId, unit, endsAtMs)
  } catch (error) {
    return { error }
  }
}

/** One unit, repeated until `endsAtMs` where repeating may help. */
async function admitAlone(ctx: Parts, workspaceId: number, unit: AdmissionUnit, endsAtMs: number): Promise<Admission> {
  for (let waitMs = 25; ; waitMs = Math.min(waitMs * 2, 1000)) {
    try {
      // A group or a connection may have been lost after its commit: what exists was admitted, and is not admitted twice.
      const earlier = await committedEarlier(ctx, workspaceId, unit)
      if (earlier) return earlier
      const [result = missing()] = await write(ctx, ctx.db, workspaceId, [unit])
      if (isPutOff(result)) throw new Error('A unit that was alone was put off')
      // Or while it was still being written: then it is our own key that is taken.
      return result.verdict === 'key_taken' ? ((await committedEarlier(ctx, workspaceId, unit)) ?? result) : result
    } catch (error) {
      if (sqlState(error) === refusedState && messageOf(error) === 'quota_exceeded') return { verdict: 'quota_exceeded' }
      // A twin's key came between our look and our write: the next look sees it.
      if (sqlState(error) === refusedState) continue
      const ours = sqlState(error) === uniqueViolation
      if (!(ours || passesLater(error)) || ctx.clock.monotonicMs() + waitMs > endsAtMs) throw error
      await ctx.clock.sleep(waitMs)
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')

/** SQLSTATE 23505: identifiers are ours and new, so the row that is there is the one a lost connection wrote. */
const uniqueViolation = '23505'

async function committedEarlier(ctx: Parts, workspaceId: number, unit: AdmissionUnit): Promise<Admission | null> {
  const [first] = unit.messages
  const [row] = await existingMessages(ctx.db, workspaceId, first ? [first.id] : [])
  return row ? { verdict: 'admitted', at: row.at } : null
}

const hasFiles = (unit: AdmissionUnit): boolean => unit.messages.some((message) => message.attachments.length > 0)

async function write(ctx: Parts, db: Database, workspaceId: number, units: AdmissionUnit[]): Promise<Written[]> {
  await ctx.failpoints.hit('admit.before_write')
  const times = { inlineSeconds: ctx.settings.inlineSeconds, leaseSeconds: ctx.settings.leaseSeconds }
  const [only] = units
  // One statement is its own transaction; only files need one around it.
  const results =
    only && hasFiles(only) ? await writeWithFiles(ctx, workspaceId, only, times) : await admitUnits(db, workspaceId, units, times)
  await ctx.failpoints.hit('admit.after_commit')
  return results
}

class NotAdmitted extends Error {
  readonly result: Written

  constructor(result: Written) {
    super(result.verdict)
    this.result = result
  }
}

/** The files first: the quota's row is locked by the last statement only, and what is not admitted keeps none of them. */
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
