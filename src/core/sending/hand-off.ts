/** Hands one claimed recipient to the provider and records what became of it: the same for requests and for workers. */
import { lostConnection } from '../../db/connect.ts'
import type { OutcomeRow } from '../../db/outcomes.ts'
import type { Lease, Outcome } from '../../providers/provider.ts'
import type { Context, HandOffRow, Sending } from '../context.ts'
import type { Leases } from './leases.ts'
import type { RecordOutcome } from './record-outcome.ts'
import { isThrottle, slowDown } from './provider-rate.ts'

type Parts = Pick<Context, 'provider' | 'makeId' | 'failpoints' | 'log' | 'countingDb' | 'settings'>

export function createHandOff(ctx: Parts, leases: Leases, recordOutcome: RecordOutcome): Sending['handOff'] {
  return async (row) => {
    const lease = leases.hold(row)
    try {
      // A broken order that the crash sweep must notice: the ledger says sent before anything has left.
      if (ctx.failpoints.broken('hand_off.order'))
        await recordOutcome(row.workspaceId, toRow(ctx, row, { kind: 'accepted', response: '' }))
      const outcome = await tryHandOff(ctx, row, withFailpoints(ctx, lease))
      if (outcome.kind === 'deferred' && isThrottle(outcome)) await trySlowDown(ctx)
      await ctx.failpoints.hit('hand_off.before_record')
      const event = await recordOutcome(row.workspaceId, toRow(ctx, row, outcome))
      await ctx.failpoints.hit('hand_off.after_record')
      return event
    } finally {
      lease.release()
    }
  }
}

/** The outcome is recorded whether or not the rate could be lowered. */
async function trySlowDown(ctx: Parts): Promise<void> {
  await slowDown(ctx).catch((error: unknown) => ctx.log.warn({ err: error }, 'The rate was not lowered'))
}

type Tried = Outcome | { kind: 'threw'; why: string }

/** A provider asks right before MAIL and right before the final dot (providers/provider.ts): these are the places between its steps. */
function withFailpoints({ failpoints }: Parts, lease: Lease): Lease {
  let asked = 0
  return {
    mayProceed() {
      asked++
      void failpoints.hit(asked === 1 ? 'hand_off.at_mail' : 'hand_off.at_dot')
      if (asked === 2) setImmediate(() => void failpoints.hit('hand_off.after_dot'))
      return lease.mayProceed()
    },
  }
}

async function tryHandOff(ctx: Parts, row: HandOffRow, lease: Lease): Promise<Tried> {
  try {
    await ctx.failpoints.hit('hand_off.before_compose')
    const composed = await row.compose()
    await ctx.failpoints.hit('hand_off.before_provider')
    const { attempt, returnPath, recipient } = row
    const reference = `${row.messageId}/${row.position}`
    // A hidden copy's address stands in the envelope only.
    const utf8 = composed.utf8 || !isAscii(returnPath) || !isAscii(recipient)
    return await ctx.provider.handOff({ reference, attempt, returnPath, recipient, bytes: composed.bytes, utf8 }, lease)
  } catch (error) {
    // What the mail is made of could not be read now; that is no fault of the message.
    if (lostConnection(error)) return { kind: 'returned', why: 'the database was away' }
    // A bug of ours, or a message we cannot compose: it is counted, and parked at the third time.
    ctx.log.error({ err: error, messageId: row.messageId }, 'A hand-off threw')
    return { kind: 'threw', why: error instanceof Error ? error.message : String(error) }
  }
}

const isAscii = (address: string): boolean => /^\p{ASCII}*$/u.test(address)

function toRow(ctx: Parts, row: HandOffRow, outcome: Tried): OutcomeRow {
  const held = { messageId: row.messageId, position: row.position, fence: row.fence, copy: null }
  switch (outcome.kind) {
    case 'accepted': {
      const copy = outcome.copy && { id: ctx.makeId(), returnPath: row.returnPath, ...outcome.copy }
      return { ...held, event: 'sent', error: null, response: outcome.response, copy: copy ?? null }
    }
    case 'refused':
      return {
        ...held,
        event: outcome.reason === 'hard' ? 'bounced' : 'failed',
        error: outcome.response,
        response: outcome.response,
      }
    case 'deferred':
    case 'in_doubt':
      return { ...held, event: outcome.kind, error: null, response: outcome.response }
    case 'returned':
      return returnedRow(row)
    case 'threw':
      return { ...held, event: 'threw', error: outcome.why, response: null }
    default:
      return outcome satisfies never
  }
}

/** A row that goes back not begun. */
export const returnedRow = ({ messageId, position, fence }: HandOffRow): OutcomeRow => ({
  messageId,
  position,
  fence,
  event: 'returned',
  error: null,
  response: null,
  copy: null,
})
