/** Admits messages: concurrent calls of one workspace share a transaction, and one that fails never fails another (semantics 1). */
import { admitUnits, existingMessages, insertAttachments, refusedState } from '../../db/admissions.ts'
import type { AdmissionResult, AdmissionUnit } from '../../db/admissions.ts'
import { isRetryable, lostConnection, sqlState } from '../../db/connect.ts'
import { gatherByWorkspace } from '../../gather.ts'
import type { Admission, Context, Sending } from '../context.ts'

const repeatsMax = 6

export function createAdmit(ctx: Parts & Pick<Context, 'wake'>): Sending['admit'] {
  return gatherByWorkspace({
    groupMax: 128,
    // One writes while another waits for the disk and a third is being built; a few wait, and share the next statement.
    atOnceMax: 2,
    besideMin: 24,
    work: async (workspaceId: number, units: AdmissionUnit[]) => {
      const results = await admitGroup(ctx, workspaceId, units)
      if (results.some((result) => result.verdict === 'admitted')) ctx.wake('transactional')
      return results
    },
  })
}

type Parts = Pick<Context, 'db' | 'settings' | 'failpoints' | 'clock'>

async function admitGroup(ctx: Parts, workspaceId: number, units: AdmissionUnit[]): Promise<Admission[]> {
  const results = new Map<AdmissionUnit, Admission>()
  // A twin of a call in the same group waits for the next: its key is taken by then.
  for (let rest = units; rest.length > 0; rest = rest.filter((unit) => !results.has(unit))) {
    const group = withoutTwins(rest)
    const together = await admitTogether(ctx, workspaceId, group)
    for (const [index, unit] of group.entries()) {
      results.set(unit, together?.[index] ?? (await admitAlone(ctx, workspaceId, unit)))
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

/** All of them in one transaction; null when it failed for any reason, and each is to be asked alone. */
async function admitTogether(ctx: Parts, workspaceId: number, units: AdmissionUnit[]): Promise<Admission[] | null> {
  try {
    return await write(ctx, workspaceId, units)
  } catch {
    // Whatever the reason, it is found and told by asking alone.
    return null
  }
}

/** One unit whose group failed, repeated where the database says that repeating helps. */
async function admitAlone(ctx: Parts, workspaceId: number, unit: AdmissionUnit): Promise<Admission> {
  for (let repeats = 0; ; repeats++) {
    try {
      // A group or a connection may have been lost after its commit: what exists was admitted, and is not admitted twice.
      const earlier = await committedEarlier(ctx, workspaceId, unit)
      if (earlier) return earlier
      const [result] = await write(ctx, workspaceId, [unit])
      return result ?? missing()
    } catch (error) {
      if (sqlState(error) === refusedState) return { verdict: 'quota_exceeded' }
      if (repeats >= repeatsMax || !(isRetryable(error) || lostConnection(error))) throw error
      await ctx.clock.sleep(25 * 2 ** repeats)
    }
  }
}

async function committedEarlier(ctx: Parts, workspaceId: number, unit: AdmissionUnit): Promise<Admission | null> {
  const [first] = unit.messages
  const [row] = await existingMessages(ctx.db, workspaceId, first ? [first.id] : [])
  return row ? { verdict: 'admitted', at: row.at } : null
}

async function write(ctx: Parts, workspaceId: number, units: AdmissionUnit[]): Promise<AdmissionResult[]> {
  await ctx.failpoints.hit('admit.before_write')
  const times = { inlineSeconds: ctx.settings.inlineSeconds, leaseSeconds: ctx.settings.leaseSeconds }
  const files = units.flatMap((unit) => unit.messages).filter((message) => message.attachments.length > 0)
  let results: AdmissionResult[]
  if (files.length === 0) {
    // One statement is its own transaction.
    results = await admitUnits(ctx.db, workspaceId, units, times)
  } else {
    results = await ctx.db.transaction(async (tx) => {
      const judged = await admitUnits(tx, workspaceId, units, times)
      for (const [index, unit] of units.entries()) {
        if (judged[index]?.verdict !== 'admitted') continue
        for (const message of unit.messages) {
          if (message.attachments.length > 0) await insertAttachments(tx, workspaceId, message.id, message.attachments)
        }
      }
      return judged
    })
  }
  await ctx.failpoints.hit('admit.after_commit')
  return results
}

const missing = (): never => {
  throw new Error('An admission answered no row')
}
