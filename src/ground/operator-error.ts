/**
 * An error that the operator can correct: its message is one clear line, shown without a stack
 * trace.
 */
export class OperatorError extends Error {
  override name = 'OperatorError'
}
