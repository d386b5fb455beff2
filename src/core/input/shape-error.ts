/** The refusal of an input: its problems, each with its position, its rule and what was found. */
import { misleadingCharacter } from '../../ground/address.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Hint } from '../../contract/hints.ts'

/** Puts the most useful problem first, with up to ten beside it. */
export function shapeError(problems: ShapeProblem[], hint?: Hint): ApiError {
  const [first] = problems
  return new ApiError('validation_error', {
    ...first,
    errors: problems.slice(0, 10),
    ...(hint === undefined ? {} : { hint }),
  })
}

export interface ShapeProblem {
  /** The position: `to.0`, `tags.3.name`; empty for the whole body. */
  path: string
  rule: string
  /** The rule's number. */
  limit?: number
  /** The position in the text, in code points. */
  at?: number
  /** The values allowed. */
  allowed?: unknown[]
  /** The types, the format or the pattern allowed. */
  expected?: string | string[]
  /** The found value: its kind, its length, or itself. */
  found?: string | number | boolean
}

/**
 * Names the rule that a text with a forbidden character breaks, with the character if it changes
 * the reading direction.
 */
export function characterProblem(text: string, path: string): ShapeProblem {
  const result = misleadingCharacter(text)
  return result === null
    ? { path, rule: 'control_character' }
    : { path, rule: 'misleading_character', found: result }
}
