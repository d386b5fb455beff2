/** Admits one call alone: one with files, or one whose group failed. */
import {
  admitUnits,
  existingMessages,
  insertAttachments,
  overtakenState,
  type AdmissionResult,
  type AdmissionUnit,
} from '../../db/sending/admissions.ts'
import { isUniqueViolation, passesLater, sqlState } from '../../database/client/database-errors.ts'
import type { Database } from '../../database/client/database.ts'
import type { AdmissionEnd, Context } from '../context.ts'
import { publishSchedule } from '../events/schedule-events.ts'

export type AdmissionParts = Pick<Context, 'db' | 'settings' | 'failpoints' | 'clock'>

interface Alone {
  workspaceId: number
  unit: AdmissionUnit
  endsAtMs: number
  /** Whether it publishes `email.scheduled`. */
  announces?: boolean
}

export async function tryAlone(ctx: AdmissionParts, call: Alone): Promise<AdmissionEnd> {
  try {
    return await admitAlone(ctx, call)
  } catch (error) {
    return { error }
  }
}

/** Admits one unit; tries again until `endsAtMs` after errors that may pass. */
async function admitAlone(
  ctx: AdmissionParts,
  { workspaceId, unit, endsAtMs, announces = false }: Alone,
): Promise<AdmissionResult> {
  for (let waitMs = 25; ; waitMs = Math.min(waitMs * 2, 1000)) {
    try {
      // The answer to a commit may have been lost. A message that exists was admitted, and is not
      // admitted again.
      const earlier = await committedEarlier(ctx, workspaceId, unit)
      if (earlier) return earlier
      const result = await write(ctx, { workspaceId, unit, announces })
      if (result.verdict === 'put_off') throw new Error('A unit that was alone was put off')
      // Our own earlier statement may have committed in the meantime: then the key was taken by us.
      return result.verdict === 'key_taken'
        ? ((await committedEarlier(ctx, workspaceId, unit)) ?? result)
        : result
    } catch (error) {
      // Another call took the key or the rest of the quota meanwhile: the next look-up sees it.
      if (sqlState(error) === overtakenState && ctx.clock.monotonicMs() < endsAtMs) continue
      // We make new identifiers, so an existing row is our own: a connection was lost after its commit.
      const ours = isUniqueViolation(error)
      if (!(ours || passesLater(error)) || ctx.clock.monotonicMs() + waitMs > endsAtMs) throw error
      await ctx.clock.sleep(waitMs)
    }
  }
}

async function committedEarlier(
  ctx: AdmissionParts,
  workspaceId: number,
  unit: AdmissionUnit,
): Promise<AdmissionResult | null> {
  const [first] = unit.messages
  const [row] = await existingMessages(ctx.db, workspaceId, first ? [first.id] : [])
  return row ? { verdict: 'admitted', at: row.at } : null
}

/** The result of the admission statement for one unit. */
type Written = Awaited<ReturnType<typeof admitUnits>>[number]

type ToWrite = Required<Omit<Alone, 'endsAtMs'>>

async function write(ctx: AdmissionParts, admission: ToWrite): Promise<Written> {
  const { workspaceId, unit, announces } = admission
  await ctx.failpoints?.hit('admit.before_write')
  // A single statement needs no explicit transaction; files, which are written before it, and
  // events do.
  const result =
    announces || unit.messages.some(({ attachments }) => attachments.length > 0)
      ? await writeTogether(ctx, admission)
      : await writeOne(ctx, workspaceId, unit)
  await ctx.failpoints?.hit('admit.after_commit')
  return result
}

async function writeOne(
  { db, settings }: { db: Database; settings: AdmissionParts['settings'] },
  workspaceId: number,
  unit: AdmissionUnit,
): Promise<Written> {
  const [result] = await admitUnits(db, workspaceId, [unit], settings)
  if (!result) throw new Error('An admission answered no row')
  return result
}

class NotAdmitted extends Error {
  readonly result: Written

  constructor(result: Written) {
    super(result.verdict)
    this.result = result
  }
}

/**
 * Writes the files first, so that the quota's row is locked only by the last statements. A refusal
 * rolls the files back.
 */
async function writeTogether(
  { db, settings }: AdmissionParts,
  { workspaceId, unit, announces }: ToWrite,
): Promise<Written> {
  try {
    return await db.transaction(async (tx) => {
      for (const { id, attachments } of unit.messages) {
        if (attachments.length > 0) await insertAttachments(tx, workspaceId, id, attachments)
      }
      const result = await writeOne({ db: tx, settings }, workspaceId, unit)
      if (result.verdict !== 'admitted') throw new NotAdmitted(result)
      if (announces) await publishSchedule(tx, { workspaceId, unit })
      return result
    })
  } catch (error) {
    if (error instanceof NotAdmitted) return error.result
    throw error
  }
}
