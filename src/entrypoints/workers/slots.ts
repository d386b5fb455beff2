/**
 * The free slots of this process's workers: reserved before a claim, so that concurrent turns do
 * not take the same slots twice.
 */
import type { Service } from '../../core/context.ts'
import type { Provider } from '../../providers/provider.ts'

/** The part of all slots that campaigns leave free. */
const keptShare = 1 / 8

/**
 * Largest number of rows that this process holds, recording included: more than direct delivery has
 * in flight (bulkheads.ts).
 */
const leasedMax = 640

/** Bytes of mails in memory at which the process claims no more; the last message may exceed it. */
const retainedBytesMax = 64 * 1024 * 1024

/** Slots that each provider always has, so that hanging providers cannot take them all. */
const own = { rows: 8, bytesShare: 1 / 64 }

export type Slots = ReturnType<typeof createSlots>
export type ProviderSlots = ReturnType<Slots['of']>

interface Parts {
  providers: Pick<Service['providers'], 'of'>
  sending: Pick<Service['sending'], 'leasedCount'>
}

export function createSlots({ providers, sending }: Parts, bytesMax = retainedBytesMax) {
  const ownBytes = Math.floor(bytesMax * own.bytesShare)
  let reserved = 0
  let bytes = 0
  const ofProvider = (provider: Provider) => {
    let reservedHere = 0
    let bytesHere = 0
    /** Bytes of mails that are free. */
    const bytesFree = (): number => Math.max(0, bytesMax - bytes, ownBytes - bytesHere)
    const rowsFree = (): number => {
      const shared = leasedMax - sending.leasedCount() - reserved
      if (shared >= own.rows) return shared
      return Math.max(
        shared,
        own.rows -
          sending.leasedCount((workspaceId) => providers.of(workspaceId) === provider) -
          reservedHere,
      )
    }
    /** Envelopes that are free. */
    const free = (): number =>
      bytesFree() === 0 ? 0 : Math.max(0, Math.min(provider.free() - reservedHere, rowsFree()))
    const count = (slots: number): number => {
      reserved += slots
      reservedHere += slots
      return slots
    }
    const countBytes = (more: number): void => {
      bytes += more
      bytesHere += more
    }
    /**
     * Takes up to `requested` slots. The caller releases those without a row, and those whose
     * envelopes the provider counts itself.
     */
    const reserve = (requested: number): number => count(Math.max(0, Math.min(requested, free())))
    return {
      ...{ bytesFree, free, reserve },
      /** Reserves the bytes of one more mail; false when none are free. */
      retainBytes(more: number): boolean {
        if (bytesFree() === 0) return false
        countBytes(more)
        return true
      },
      releaseBytes: (fewer: number): void => countBytes(-fewer),
      /**
       * The same for campaigns: some slots always stay free for transactional mail. `others`: slots
       * that campaigns have now.
       */
      reserveBeside: (requested: number, others: number): number =>
        reserve(Math.min(requested, besideOthers(free() + others) - others)),
      release: (slots: number): void => void count(-slots),
    }
  }
  const known = new WeakMap<Provider, ReturnType<typeof ofProvider>>()
  return {
    /**
     * The slots of a workspace's present provider. Slots go back to the provider that they came
     * from.
     */
    of(workspaceId: number) {
      const provider = providers.of(workspaceId)
      const slots = known.get(provider) ?? ofProvider(provider)
      known.set(provider, slots)
      return slots
    },
  }
}

/** How many of all slots campaigns may have; a single slot may be theirs. */
export const besideOthers = (all: number): number =>
  all <= 1 ? all : all - Math.max(1, Math.floor(all * keptShare))
