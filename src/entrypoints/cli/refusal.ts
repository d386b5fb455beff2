/** Why a command did not do what was asked, in the operator's words: one line, a code for machines, an exit code for scripts. */
import { OperatorError } from '../../operator-error.ts'

/** `usage`: the line cannot be understood. `not_found`, `conflict`, `refused`: it can, and what is there does not allow it. */
export type RefusalCode = 'usage' | 'not_found' | 'conflict' | 'refused'

export class CommandRefusal extends OperatorError {
  override name = 'Refusal'
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

/** 0 is done; 1 is refused, not found or failed; 2 is a line that cannot be understood. */
export const exitCodeOf = (error: unknown): number => (error instanceof CommandRefusal && error.code === 'usage' ? 2 : 1)
