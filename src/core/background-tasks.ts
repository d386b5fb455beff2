/**
 * Runs work that continues after an answer, in this process alone. A stop asks it to end and waits
 * for it.
 */
import type { BackgroundTasks, Context } from './context.ts'

export function createBackgroundTasks({ log }: Pick<Context, 'log'>): BackgroundTasks {
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  return {
    begin(work) {
      const aside = work(stopping.signal)
        .catch((error: unknown) => log.error({ err: error }, 'A background task failed'))
        .finally(() => running.delete(aside))
      running.add(aside)
    },
    async end() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
