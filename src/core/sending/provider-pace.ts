/**
 * Measures how fast each provider takes mail from this process, and lowers the pace of all
 * processes when the provider asks for it.
 *
 * The measured pace is the median over the whole seconds, among the last ten, in which the provider
 * accepted mail. Pauses and seconds of refusals therefore do not lower it, and one odd second does
 * not change it.
 */
import { lowerRate, storePace } from '../../db/sending/provider-rates.ts'
import { saysSlower } from '../../mail/smtp-client/keeps-pace.ts'
import type { Outcome } from '../../providers/provider.ts'
import type { Context } from '../context.ts'

/** How many seconds the measurement looks back. */
const windowSeconds = 10
/**
 * The minimum interval, in milliseconds, at which this process stores its pace and asks for a
 * slower one.
 */
const everyMs = 1_000

type Parts = Pick<Context, 'providers' | 'countingDb' | 'clock' | 'log' | 'makeId'>

export interface ProviderPace {
  /**
   * Takes the outcome of a hand-off. Never rejects: the outcome is recorded whether or not the pace
   * could be lowered.
   */
  observe(workspaceId: number, outcome: Outcome | { kind: 'threw' }): Promise<void>
}

interface Measured {
  /** Accepted mails by second, for the seconds that had any. */
  accepted: Map<number, number>
  isStoring: boolean
  loweredAtMs: number
}

export function createProviderPace(ctx: Parts): ProviderPace {
  const process = ctx.makeId()
  const measured = new Map<string, Measured>()

  const storeLater = (key: string, of: Measured): void => {
    if (of.isStoring) return
    of.isStoring = true
    const store = async (): Promise<void> => {
      await ctx.clock.sleep(everyMs)
      of.isStoring = false
      const perSecond = paceOf(of, ctx.clock.monotonicMs())
      if (perSecond !== null) await storePace(ctx.countingDb, { provider: key, process, perSecond })
    }
    // The next accepted mail stores it again. Other statements log an unavailable database.
    void store().catch(() => undefined)
  }

  const lower = async (
    key: string,
    configured: number | null,
    of: Measured,
    code: number | null,
  ): Promise<void> => {
    const nowMs = ctx.clock.monotonicMs()
    // Several refusals within one interval count as one.
    if (nowMs - of.loweredAtMs < everyMs) return
    of.loweredAtMs = nowMs
    try {
      const pace = { provider: key, process, perSecond: paceOf(of, nowMs) }
      const { isFirst, formerPerSecond, perSecond } = await lowerRate(
        ctx.countingDb,
        pace,
        configured,
      )
      if (!isFirst) return
      const numbers =
        formerPerSecond === null ? {} : { from: round(formerPerSecond), to: round(perSecond) }
      ctx.log.warn({ provider: key, code, ...numbers }, 'The provider asks for a slower pace')
    } catch (error) {
      ctx.log.warn(
        { err: error, provider: key },
        'The rate of a provider was not lowered; the next refusal tries again',
      )
    }
  }

  return {
    async observe(workspaceId, outcome) {
      if (outcome.kind !== 'accepted' && outcome.kind !== 'deferred') return
      const rate = ctx.providers.rateOf(workspaceId)
      if (rate === null) return
      const of = measured.get(rate.key) ?? {
        accepted: new Map(),
        isStoring: false,
        loweredAtMs: -Infinity,
      }
      measured.set(rate.key, of)
      if (outcome.kind === 'accepted') {
        count(of, ctx.clock.monotonicMs())
        storeLater(rate.key, of)
      }
      if (outcome.kind === 'deferred' && isThrottle(outcome))
        await lower(rate.key, rate.perSecond, of, outcome.code)
    },
  }
}

function count({ accepted }: Measured, nowMs: number): void {
  const second = Math.floor(nowMs / 1000)
  if (!accepted.has(second)) dropBefore(accepted, second - windowSeconds)
  accepted.set(second, (accepted.get(second) ?? 0) + 1)
}

/** Null if no whole second of the last ten had an accepted mail, so nothing was measured. */
function paceOf({ accepted }: Measured, nowMs: number): number | null {
  const second = Math.floor(nowMs / 1000)
  dropBefore(accepted, second - windowSeconds)
  const whole = [...accepted].filter(([of]) => of < second).map(([, mails]) => mails)
  return whole.toSorted((a, b) => a - b)[Math.floor(whole.length / 2)] ?? null
}

function dropBefore(accepted: Map<number, number>, first: number): void {
  for (const second of accepted.keys()) if (second < first) accepted.delete(second)
}

const round = (pace: number): number => Math.round(pace * 10) / 10

/**
 * Whether a deferral asks for a slower pace, and so concerns all mail of the provider. The
 * provider's own flag decides, else its reply.
 */
export const isThrottle = (
  deferred: Pick<Extract<Outcome, { kind: 'deferred' }>, 'code' | 'response' | 'slower'>,
): boolean => deferred.slower ?? saysSlower(deferred)
