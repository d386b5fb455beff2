/** Repeats work that failed for a reason that passes. */
import { setTimeout } from 'node:timers/promises'
import { isRetryable } from './database-errors.ts'

/**
 * Repeats the work while its error says that repeating helps, at most five times within a second.
 */
export async function retrying<T>(
  work: () => Promise<T>,
  helps: (error: unknown) => boolean = isRetryable,
): Promise<T> {
  for (let waitMs = 0; ; waitMs = waitMs * 2 + 20) {
    try {
      return await work()
    } catch (error) {
      if (waitMs > 600 || !helps(error)) throw error
      await setTimeout(waitMs)
    }
  }
}
