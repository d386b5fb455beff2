/** Runs a limited number of tasks at a time; the others wait in order. */

export function fewAtOnce(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const inTurn = fewAtOnceOfEach(max)
  return (work) => inTurn(0, work)
}

/** The same; those with waiting tasks take turns, so that many of one hold up no other's. */
export function fewAtOnceOfEach(
  max: number,
): <T>(key: number, work: () => Promise<T>) => Promise<T> {
  /** The one whose turn is next is the first. */
  const waiting = new Map<number, (() => void)[]>()
  let running = 0
  const takeNext = (): (() => void) | undefined => {
    const [first] = waiting
    if (!first) return undefined
    const [key, [next, ...others]] = first
    waiting.delete(key)
    if (others.length > 0) waiting.set(key, others)
    return next
  }
  return async (key, work) => {
    // A finished task hands its turn to the next one directly, so that no newcomer overtakes.
    if (running < max) running++
    else
      await new Promise<void>((resolve) => waiting.set(key, [...(waiting.get(key) ?? []), resolve]))
    try {
      return await work()
    } finally {
      const next = takeNext()
      if (next) next()
      else running--
    }
  }
}
