/** Work that goes on behind an answer, in this process alone: it is asked to end, and waited for, when the process stops. */
import type { Asides, Context } from './context.ts'

export function createAsides({ log }: Pick<Context, 'log'>): Asides {
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  return {
    begin(work) {
      const aside = work(stopping.signal)
        .catch((error: unknown) => log.error({ err: error }, 'Work behind an answer broke off'))
        .finally(() => running.delete(aside))
      running.add(aside)
    },
    async end() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
