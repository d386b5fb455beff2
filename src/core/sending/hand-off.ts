/**
 * Hands claimed recipients of single messages over and records the outcomes, for requests and for
 * workers alike.
 */
import { renewLeases, type LeasedRow } from '../../db/sending/claims.ts'
import type { AttemptOutcome } from '../../db/sending/attempt-outcome.ts'
import type { OutcomeRow } from '../../db/sending/outcomes.ts'
import type { Context, HandOffRow, Sending, WarmUps } from '../context.ts'
import { makeAttempt, returned, type AttemptParts, type AttemptPoints } from './attempt.ts'
import type { LeasedSince, Leases, Renew } from './leases.ts'
import type { RecordOutcome } from './record-outcome.ts'
import type { MailsUnderWay } from './mails-under-way.ts'
import type { ProviderPace } from './provider-pace.ts'

/** How long a single mail counts as just now, in milliseconds. */
export const singlesMs = 100

interface Machinery extends Pick<Sending, 'singles'> {
  leases: Leases<LeasedMessage>
  recordOutcome: RecordOutcome
  /** Of rows that a worker claimed together. */
  recordClaimed: RecordOutcome
  providerPace: ProviderPace
  warmUps: Pick<WarmUps, 'count'>
  underWay: Pick<MailsUnderWay, 'begin'>
}

const points: AttemptPoints = {
  beforeCompose: 'hand_off.before_compose',
  beforeProvider: 'hand_off.before_provider',
  atMail: 'hand_off.at_mail',
  atDot: 'hand_off.at_dot',
  afterDot: 'hand_off.after_dot',
}

/**
 * Outcomes that wait to be recorded, beyond which calls wait for theirs, so that a slow database
 * slows the callers too.
 */
const unrecordedMax = 512

export function createHandOff(
  ctx: AttemptParts & Pick<Context, 'clock'>,
  { leases, recordOutcome, recordClaimed, providerPace, warmUps, underWay, singles }: Machinery,
): Sending['handOff'] {
  let unrecorded = 0
  return async (row) => {
    const { workspaceId, messageId, position, attempt, recipient, fromDomain } = row
    singles.untilMs = ctx.clock.monotonicMs() + singlesMs
    const lease = leases.track(row)
    const record = row.mail === undefined ? recordOutcome : recordClaimed
    const mail = row.mail ?? underWay.begin(workspaceId)
    try {
      // A broken order that the crash sweep must notice: the ledger says sent before anything has
      // left.
      if (ctx.failpoints?.broken('hand_off.order'))
        await record(workspaceId, outcomeRow(row, tooEarly))
      mail.handOff()
      const outcome = await makeAttempt(ctx, {
        providerPace,
        attempt: {
          ...{ workspaceId, reference: `${messageId}/${position}`, attempt, recipient, fromDomain },
          ...{ lease, points, compose: () => compose(row), logged: { messageId } },
        },
      })
      if (outcome.event === 'sent') warmUps.count({ workspaceId, domain: fromDomain })
      await ctx.failpoints?.hit('hand_off.before_record')
      mail.handedOff()
      if (outcome.event === 'sent' && unrecorded < unrecordedMax) row.onTaken?.()
      unrecorded++
      const event = await record(workspaceId, outcomeRow(row, outcome)).finally(() => unrecorded--)
      await ctx.failpoints?.hit('hand_off.after_record')
      ctx.counts?.ended(event ?? 'lost')
      return event
    } finally {
      mail.ended()
      lease.release()
    }
  }
}

const tooEarly: AttemptOutcome = { event: 'sent', error: null, response: '', copy: null }

async function compose({
  compose: composeMail,
  recipient,
  returnPath,
  notify,
  headers,
}: HandOffRow) {
  const { bytes: shared, utf8 } = await composeMail()
  const bytes = Buffer.concat([Buffer.from(headers, 'latin1'), shared])
  // A Bcc address appears in the envelope only, so it is checked here.
  return {
    bytes,
    utf8: utf8 || !isAscii(returnPath) || !isAscii(recipient),
    returnPath,
    ...(notify && { notify }),
  }
}

const isAscii = (address: string): boolean => /^\p{ASCII}*$/u.test(address)

const outcomeRow = (
  { messageId, position, fence }: LeasedRow,
  outcome: AttemptOutcome,
): OutcomeRow => ({
  ...{ messageId, position, fence },
  ...outcome,
})

/** The outcome of a row that goes back to the queue before its hand-off began. */
export const returnedRow = (row: LeasedRow): OutcomeRow => outcomeRow(row, returned)

/** A held row of a single message. */
export type LeasedMessage = LeasedRow & LeasedSince

/** Renews the leases of single messages. */
export const renewMessageLeases =
  ({ db, settings }: Pick<Context, 'db' | 'settings'>): Renew<LeasedMessage> =>
  async (workspaceId, rows) => {
    const renewed = new Set(
      (await renewLeases(db, workspaceId, rows, settings.leaseSeconds)).map(nameOf),
    )
    return rows.filter((row) => renewed.has(nameOf(row)))
  }

const nameOf = ({ messageId, position, fence }: LeasedRow): string =>
  `${messageId}/${position}/${fence}`
