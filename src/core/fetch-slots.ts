/** Lets few calls of a workspace fetch attachments at once; the others wait in order. */
import { ApiError } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'

export interface FetchSlots {
  /** Returns what frees the slot, to be called once. Throws `rate_limit_exceeded` after too long a wait. */
  take(workspaceId: number): Promise<() => void>
}

/** As long as the fetch of another call takes. */
const waitMaxMs = limits.fetchSecondsMax * 1_000
/** When a call that waited in vain may try again, in seconds. */
const retryAfter = 1

interface Slots {
  taken: number
  waiting: (() => void)[]
}

/** `waitMs`: the longest wait for a slot. */
export function createFetchSlots(waitMs = waitMaxMs): FetchSlots {
  const all = new Map<number, Slots>()
  const slotsOf = (workspaceId: number): Slots => {
    const slots = all.get(workspaceId) ?? { taken: 0, waiting: [] }
    all.set(workspaceId, slots)
    return slots
  }
  const free = (workspaceId: number, slots: Slots): void => {
    // The slot goes to the next call directly, so that no newcomer overtakes.
    const next = slots.waiting.shift()
    if (next) next()
    else if (--slots.taken === 0) all.delete(workspaceId)
  }
  return {
    async take(workspaceId) {
      const slots = slotsOf(workspaceId)
      if (slots.taken < limits.fetchesAtOnceMax) slots.taken++
      else await turnIn(slots, waitMs)
      return () => free(workspaceId, slots)
    },
  }
}

function turnIn({ waiting }: Slots, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(enter), 1)
      reject(tooMany())
    }, waitMs)
    waiting.push(enter)
  })
}

const tooMany = (): ApiError =>
  new ApiError(
    'rate_limit_exceeded',
    { reason: 'fetches_at_once', limit: limits.fetchesAtOnceMax, retry_after: retryAfter },
    retryAfter,
  )
