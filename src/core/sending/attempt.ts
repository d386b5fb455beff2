/**
 * Makes one attempt: composes a recipient's mail, hands it to the provider and returns the outcome
 * in the ledger's words. Requests, workers and campaigns use it alike; their ledgers claim before
 * it and record after it.
 *
 * 1. compose the mail
 * 2. hand it over; the provider asks the lease before MAIL, and before the final dot
 * 3. lower the provider's pace where the outcome asks for that
 */
import { passesLater } from '../../database/client/database-errors.ts'
import type { AttemptOutcome } from '../../db/sending/attempt-outcome.ts'
import type { Envelope, Lease, Outcome, Provider } from '../../providers/provider.ts'
import type { Context } from '../context.ts'
import { bounceOf } from './bounce-of.ts'
import type { ProviderPace } from './provider-pace.ts'

/** One claimed recipient of a ledger. */
export interface RecipientAttempt extends Pick<
  Envelope,
  'workspaceId' | 'reference' | 'attempt' | 'recipient' | 'fromDomain' | 'bulk'
> {
  lease: Pick<Lease, 'mayProceed'>
  /**
   * Asks the ledger whether the final dot may be written. Absent if the lease alone decides. Never
   * rejects.
   */
  passDot?: () => Promise<boolean>
  compose(): Composed | Promise<Composed>
  points: AttemptPoints
  /** Names it in the log. */
  logged: object
}

export type Composed = Pick<Envelope, 'bytes' | 'utf8' | 'returnPath' | 'notify'>

/** The failpoints between the steps, as each ledger names them. */
export interface AttemptPoints {
  beforeCompose: string
  beforeProvider: string
  atMail: string
  atDot: string
  afterDot: string
}

export type AttemptParts = Pick<
  Context,
  'providers' | 'makeId' | 'failpoints' | 'log' | 'counts' | 'onDeparture' | 'tracer'
>

interface Requested {
  providerPace: ProviderPace
  attempt: RecipientAttempt
}

export function makeAttempt(ctx: AttemptParts, request: Requested): Promise<AttemptOutcome> {
  if (!ctx.tracer) return attemptOnce(ctx, request)
  const { workspaceId, attempt, bulk = false } = request.attempt
  const provider = ctx.providers.of(workspaceId).name
  return ctx.tracer.span(
    { name: 'hand off', kind: 'client' },
    () => attemptOnce(ctx, request),
    ({ event }) => ({
      attributes: {
        'facteur.provider': provider,
        'facteur.attempt': attempt,
        'facteur.campaign': bulk,
        'facteur.outcome': event,
      },
      isFailed: event !== 'sent' && event !== 'postponed' && event !== 'returned',
    }),
  )
}

async function attemptOnce(
  ctx: AttemptParts,
  { providerPace, attempt }: Requested,
): Promise<AttemptOutcome> {
  const { failpoints, providers } = ctx
  const { workspaceId, reference, attempt: number, recipient, fromDomain, bulk, points } = attempt
  let returnPath = ''
  let requested: { provider: Provider; lease: WatchedLease } | null = null
  let tried: Tried
  try {
    await failpoints?.hit(points.beforeCompose)
    const composed = await attempt.compose()
    await failpoints?.hit(points.beforeProvider)
    returnPath = composed.returnPath
    requested = { provider: providers.of(workspaceId), lease: watchLease(ctx, attempt) }
    const envelope = {
      ...{ workspaceId, reference, attempt: number, recipient, fromDomain },
      ...(bulk && { bulk }),
      ...composed,
    }
    tried = await requested.provider.handOff(envelope, requested.lease)
  } catch (error) {
    tried = requested
      ? brokenOff(ctx, attempt.logged, error, requested.lease.isAtDot())
      : notComposed(ctx, attempt.logged, error)
  }
  await providerPace.observe(workspaceId, tried)
  const outcome = toOutcome(ctx, tried, returnPath)
  const { name: provider, captures } = requested?.provider ?? providers.of(workspaceId)
  const destination = recipient.slice(recipient.lastIndexOf('@') + 1).toLowerCase()
  const lane = bulk ? 'campaign' : 'transactional'
  ctx.counts?.handedOff({ provider, lane, destination, attempt: number, outcome: outcome.event })
  if (outcome.event === 'sent' && !captures) ctx.onDeparture?.({ fromDomain, destination })
  return outcome
}

type Tried = Outcome | { kind: 'threw'; why: string }

function notComposed({ log }: AttemptParts, logged: object, error: unknown): Tried {
  // The database could not be read: the mail is not at fault, so the attempt does not count.
  if (passesLater(error)) return { kind: 'returned', why: 'the database was away' }
  // The mail could not be composed: the attempt counts, and the third one parks the row.
  log.error({ err: error, ...logged }, 'A message could not be composed')
  return { kind: 'threw', why: messageOf(error) }
}

/**
 * Providers return their failures, so an exception is our bug. After the final dot, the mail may
 * still have left.
 */
function brokenOff({ log }: AttemptParts, logged: object, error: unknown, isAtDot: boolean): Tried {
  log.error({ err: error, ...logged }, 'A provider failed with an unexpected error')
  const why = messageOf(error)
  return isAtDot ? { kind: 'in_doubt', phase: 'dot', response: why } : { kind: 'threw', why }
}

/** `isAtDot`: the final dot was allowed. */
type WatchedLease = Lease & { isAtDot(): boolean }

/**
 * Watches the lease for the provider, with failpoints between its steps: it asks right before MAIL
 * and right before the final dot (providers/provider.ts).
 */
export function watchLease(
  { failpoints }: Pick<AttemptParts, 'failpoints'>,
  { lease, passDot, points }: Pick<RecipientAttempt, 'lease' | 'passDot' | 'points'>,
): WatchedLease {
  let isAsked = false
  let isAtDot = false
  const begin = (): boolean => {
    isAtDot = lease.mayProceed()
    if (isAtDot && failpoints) setImmediate(() => void failpoints.hit(points.afterDot))
    return isAtDot
  }
  return {
    isAtDot: () => isAtDot,
    mayProceed() {
      if (!isAsked) void failpoints?.hit(points.atMail)
      isAsked = true
      return lease.mayProceed()
    },
    mayPassDot() {
      void failpoints?.hit(points.atDot)
      return passDot ? passDot().then((isAllowed) => isAllowed && begin()) : begin()
    },
  }
}

function toOutcome(ctx: AttemptParts, tried: Tried, returnPath: string): AttemptOutcome {
  switch (tried.kind) {
    case 'accepted': {
      const copy = tried.copy ? { id: ctx.makeId(), returnPath, ...tried.copy } : null
      return { event: 'sent', error: null, response: tried.response, copy }
    }
    case 'refused': {
      const { response } = tried
      return {
        event: tried.reason === 'hard' ? 'bounced' : 'failed',
        error: response,
        response,
        bounce: bounceOf(tried),
        copy: null,
      }
    }
    case 'deferred':
      return {
        event: 'deferred',
        error: null,
        response: tried.response,
        bounce: bounceOf(tried),
        copy: null,
      }
    case 'in_doubt':
      return { event: 'in_doubt', error: null, response: tried.response, copy: null }
    case 'postponed':
      return {
        event: 'postponed',
        error: null,
        response: tried.response,
        waitSeconds: tried.afterMs / 1000,
        copy: null,
      }
    case 'returned':
      return returned
    case 'threw':
      return { event: 'threw', error: tried.why, response: null, copy: null }
    default:
      return tried satisfies never
  }
}

/** The outcome of a hand-off that did not begin. */
export const returned: AttemptOutcome = {
  event: 'returned',
  error: null,
  response: null,
  copy: null,
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
