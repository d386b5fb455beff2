/**
 * Limits campaigns while their domain is warmed up: mail hosts trust a new domain little at first,
 * and more each day.
 *
 * Single mail is counted and never waits. Campaigns get the day's remaining amount, except a fifth
 * that is reserved for single mail. A domain without a warm-up costs one look-up every ten seconds.
 */
import { takeFromWarmUp, warmUpOf, type WarmUpKey } from '../../db/sending/warm-ups.ts'
import type { Context, WarmUps } from '../context.ts'

const campaignShare = 0.8
const pollEveryMs = 10_000
/** How often counted mails are written, in milliseconds. */
const writeEveryMs = 1_000
/**
 * How long an exhausted day is remembered at most, in milliseconds: the operator may have changed
 * the plan.
 */
const emptyMs = 30_000

interface Known {
  readAtMs: number
  isWarming: boolean
  /** Mails that left, minus permits given back, that are not written yet. */
  counted: number
  emptyUntilMs: number
}

type Parts = Pick<Context, 'countingDb' | 'clock' | 'log'>

export function createWarmUps({ countingDb, clock, log }: Parts): WarmUps {
  const known = new Map<string, Known>()
  const writing = new Set<string>()

  const readWarmUp = async (key: WarmUpKey): Promise<Known> => {
    const name = `${key.workspaceId} ${key.domain}`
    const result = known.get(name) ?? {
      readAtMs: -Infinity,
      isWarming: false,
      counted: 0,
      emptyUntilMs: -Infinity,
    }
    known.set(name, result)
    if (clock.monotonicMs() - result.readAtMs < pollEveryMs) return result
    result.readAtMs = clock.monotonicMs()
    const row = await warmUpOf(countingDb, key)
    result.isWarming = row !== null && !row.isOver
    if (!result.isWarming) result.counted = 0
    return result
  }
  const take = async (
    key: WarmUpKey,
    requested: number,
  ): Promise<{ granted: number; secondsLeft: number } | undefined> => {
    const warmUp = await readWarmUp(key)
    if (!warmUp.isWarming) return undefined
    const { counted } = warmUp
    warmUp.counted = 0
    try {
      return await takeFromWarmUp(countingDb, key, {
        count: requested,
        counted,
        share: campaignShare,
      })
    } catch (error) {
      warmUp.counted += counted
      throw error
    }
  }
  /** Writes after a short wait, together with the mails that are counted by then. */
  const writeLater = (key: WarmUpKey): void => {
    const name = `${key.workspaceId} ${key.domain}`
    if (writing.has(name)) return
    writing.add(name)
    void clock
      .sleep(writeEveryMs)
      .then(() => {
        writing.delete(name)
        return take(key, 0)
      })
      .catch((error: unknown) =>
        log.warn({ err: error }, 'Mail of a domain that is warmed up was not counted'),
      )
  }
  const count = async (key: WarmUpKey, change: number): Promise<void> => {
    const warmUp = await readWarmUp(key)
    if (!warmUp.isWarming) return
    warmUp.counted += change
    writeLater(key)
  }
  const countOrLog = (key: WarmUpKey, change: number): void =>
    void count(key, change).catch((error: unknown) =>
      log.warn({ err: error }, 'Mail of a domain that is warmed up was not counted'),
    )
  return {
    async take(key, requested) {
      const warmUp = await readWarmUp(key)
      if (!warmUp.isWarming) return requested
      if (clock.monotonicMs() < warmUp.emptyUntilMs) return 0
      const taken = await take(key, requested)
      if (taken?.granted === 0)
        warmUp.emptyUntilMs = clock.monotonicMs() + Math.min(emptyMs, taken.secondsLeft * 1_000)
      return taken?.granted ?? requested
    },
    giveBack: (key, count_) => {
      if (count_ > 0) countOrLog(key, -count_)
    },
    count: (key) => countOrLog(key, 1),
  }
}
