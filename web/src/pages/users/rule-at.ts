/** Reads from a refusal which rule of the contract a field broke. */
import { Refusal } from '../../api/refusal.ts'

/** Null if nothing is wrong there. */
export function ruleAt(error: unknown, field: string): string | null {
  if (!(error instanceof Refusal)) return null
  const { path, rule } = error.details
  return path === field && typeof rule === 'string' ? rule : null
}

/** Why a conflict is one; null for all else. */
export function reasonOf(error: unknown): string | null {
  const reason =
    error instanceof Refusal && error.code === 'conflict' ? error.details['reason'] : null
  return typeof reason === 'string' ? reason : null
}
