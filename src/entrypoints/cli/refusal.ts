/**
 * Why a command was refused, for the operator: one line, a code for programs, an exit code for
 * scripts.
 */
import { OperatorError } from '../../ground/operator-error.ts'

/**
 * `usage`: the line cannot be parsed. `not_found`, `conflict`, `refused`: it can, but the present
 * state does not allow it. `stopped`: the operator ended it.
 */
export type RefusalCode = 'usage' | 'not_found' | 'conflict' | 'refused' | 'stopped'

export class CommandRefusal extends OperatorError {
  override name = 'Refusal'
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

/** 0 is done; 1 is refused, not found or failed; 2 is a line that cannot be understood. */
export const exitCodeOf = (error: unknown): number =>
  error instanceof CommandRefusal && error.code === 'usage' ? 2 : 1
