/** Repeats work with the database while its error may pass. */
import { passesLater } from '../database/client/database-errors.ts'
import type { Context } from './context.ts'

/** Rejects with the last error when the next try would begin later than `withinMs` from now. */
export async function persistently<T>(
  { clock }: Pick<Context, 'clock'>,
  withinMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const endsAtMs = clock.monotonicMs() + withinMs
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    try {
      return await work()
    } catch (error) {
      if (!passesLater(error) || clock.monotonicMs() + waitMs > endsAtMs) throw error
      await clock.sleep(waitMs)
    }
  }
}
