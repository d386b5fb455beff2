/** Collects all problems of a campaign's content, so that its author can correct them at once. */
import { ApiError } from '../../contract/errors.ts'
import type { Hint } from '../../contract/hints.ts'

/** Where in the request something stands. */
export interface ProblemLocation {
  /** `content.3.text`. */
  path: string
  /** Of the block it is in, from 0. */
  index?: number
  /** Inside columns: of the block, the column, the block in it. */
  indexes?: number[]
}

export interface ContentProblem extends ProblemLocation {
  rule: string
  /** The number the rule is about. */
  limit?: number
  /** The values allowed. */
  allowed?: readonly (string | number)[]
  /** The value that was found. */
  value?: string
  /** The character that was found: `U+202E`. */
  found?: string
}

export type Problems = ReturnType<typeof createProblems>

export function createProblems() {
  const list: ContentProblem[] = []
  const error = (hint?: Hint): ApiError =>
    new ApiError('validation_error', {
      ...list[0],
      errors: list,
      ...(hint === undefined ? {} : { hint }),
    })
  return {
    add(problem: ContentProblem): void {
      if (list.length < 10) list.push(problem)
    },
    /** The first ten. */
    list: (): readonly ContentProblem[] => list,
    error,
    throwIfAny(): void {
      if (list.length > 0) throw error()
    },
  }
}
