/** Hands one claimed recipient to the provider and records the outcome, for requests and for workers alike. */
import { passesLater } from '../../db/connection/connect.ts'
import type { OutcomeRow } from '../../db/sending/outcomes.ts'
import type { ComposedMessage } from '../../mail/mime/compose.ts'
import type { Lease, Outcome } from '../../providers/provider.ts'
import type { Context, HandOffRow, Sending, WarmUps } from '../context.ts'
import { bounceOf } from './bounce-of.ts'
import type { Leases } from './leases.ts'
import type { RecordOutcome } from './record-outcome.ts'
import type { ProviderPace } from './provider-pace.ts'

type Parts = Pick<Context, 'providers' | 'makeId' | 'failpoints' | 'log' | 'settings'>

interface Machinery {
  leases: Leases
  recordOutcome: RecordOutcome
  providerPace: ProviderPace
  warmUps: Pick<WarmUps, 'count'>
}

export function createHandOff(ctx: Parts, { leases, recordOutcome, providerPace, warmUps }: Machinery): Sending['handOff'] {
  return async (row) => {
    const lease = leases.hold(row)
    try {
      // A broken order that the crash sweep must notice: the ledger says sent before anything has left.
      if (ctx.failpoints.broken('hand_off.order'))
        await recordOutcome(row.workspaceId, toRow(ctx, row, { kind: 'accepted', response: '' }))
      const outcome = await tryHandOff(ctx, row, watch(ctx, lease))
      await providerPace.observe(row.workspaceId, outcome)
      if (outcome.kind === 'accepted') warmUps.count({ workspaceId: row.workspaceId, domain: row.fromDomain })
      await ctx.failpoints.hit('hand_off.before_record')
      const event = await recordOutcome(row.workspaceId, toRow(ctx, row, outcome))
      await ctx.failpoints.hit('hand_off.after_record')
      return event
    } finally {
      lease.release()
    }
  }
}

type Tried = Outcome | { kind: 'threw'; why: string }

/** A lease that also knows whether it allowed the final dot. */
type WatchedLease = Lease & { atDot(): boolean }

/**
 * Puts failpoints between the provider's steps: it asks the lease right before MAIL and right before the final dot
 * (providers/provider.ts).
 */
function watch({ failpoints }: Parts, lease: Pick<Lease, 'mayProceed'>): WatchedLease {
  let isAsked = false
  let isAtDot = false
  return {
    atDot: () => isAtDot,
    mayProceed() {
      if (!isAsked) void failpoints.hit('hand_off.at_mail')
      isAsked = true
      return lease.mayProceed()
    },
    mayPassDot() {
      void failpoints.hit('hand_off.at_dot')
      setImmediate(() => void failpoints.hit('hand_off.after_dot'))
      return (isAtDot = lease.mayProceed())
    },
  }
}

async function tryHandOff(ctx: Parts, row: HandOffRow, lease: WatchedLease): Promise<Tried> {
  const composed = await tryCompose(ctx, row)
  if ('kind' in composed) return composed
  const { workspaceId, attempt, returnPath, notify, fromDomain, recipient } = row
  const reference = `${row.messageId}/${row.position}`
  // A Bcc address appears in the envelope only, so it is checked here.
  const utf8 = composed.utf8 || !isAscii(returnPath) || !isAscii(recipient)
  try {
    const sender = { workspaceId, returnPath, ...(notify && { notify }), fromDomain }
    const envelope = { ...sender, reference, attempt, recipient, bytes: composed.bytes, utf8 }
    return await ctx.providers.of(workspaceId).handOff(envelope, lease)
  } catch (error) {
    // Providers return their failures, so an exception is our bug. After the final dot, the mail may still have left.
    ctx.log.error({ err: error, messageId: row.messageId }, 'A provider threw')
    const why = messageOf(error)
    return lease.atDot() ? { kind: 'in_doubt', phase: 'dot', response: why } : { kind: 'threw', why }
  }
}

async function tryCompose(ctx: Parts, row: HandOffRow): Promise<ComposedMessage | Tried> {
  try {
    await ctx.failpoints.hit('hand_off.before_compose')
    const composed = await row.compose()
    await ctx.failpoints.hit('hand_off.before_provider')
    return composed
  } catch (error) {
    // The database could not be read: the message is not at fault, so the attempt does not count.
    if (passesLater(error)) return { kind: 'returned', why: 'the database was away' }
    // The message could not be composed: the attempt counts, and the third one parks the row.
    ctx.log.error({ err: error, messageId: row.messageId }, 'A message could not be composed')
    return { kind: 'threw', why: messageOf(error) }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const isAscii = (address: string): boolean => /^\p{ASCII}*$/u.test(address)

function toRow(ctx: Parts, row: HandOffRow, outcome: Tried): OutcomeRow {
  const held = { messageId: row.messageId, position: row.position, fence: row.fence, bounce: bounceOf(outcome), copy: null }
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
    case 'postponed':
      return { ...held, event: 'postponed', error: null, response: outcome.response, waitSeconds: outcome.afterMs / 1000 }
    case 'returned':
      return returnedRow(row)
    case 'threw':
      return { ...held, event: 'threw', error: outcome.why, response: null }
    default:
      return outcome satisfies never
  }
}

/** The outcome of a row that goes back to the queue before its hand-off began. */
export const returnedRow = ({ messageId, position, fence }: HandOffRow): OutcomeRow => ({
  messageId,
  position,
  fence,
  event: 'returned',
  error: null,
  response: null,
  copy: null,
})
