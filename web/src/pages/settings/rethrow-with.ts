/** Replaces a refusal's words where this page can say its details better. */
import { Refusal } from '../../api/refusal.ts'

/** Throws it again. If `sentence` is null, there is none for it. */
export function rethrowWith(
  error: unknown,
  sentence: (details: Record<string, unknown>) => string | null,
): never {
  if (!(error instanceof Refusal) || error.code !== 'conflict') throw error
  const message = sentence(error.details)
  throw message === null
    ? error
    : new Refusal({ code: error.code, status: error.status, message, details: {} })
}
