/**
 * Refuses control characters in texts of one line instead of repairing them (security: Control
 * characters).
 */
import { forbiddenPattern, misleadingCharacter } from '../../contract/address.ts'
import { shapeError, type ShapeProblem } from './shape-error.ts'

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controlPattern = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Throws `validation_error` at `path`. */
export function refuseControls(text: string, path: string): void {
  if (controlPattern.test(text)) throw shapeError([{ path, rule: 'control_character' }])
}

/**
 * The same for a name that readers rely on, such as a file's: it may not hold characters that a
 * display name may not.
 */
export function refuseMisleading(text: string, path: string): void {
  if (forbiddenPattern.test(text)) throw shapeError([characterProblem(text, path)])
}

/**
 * Names the rule that a text with a forbidden character breaks, with the character if it changes
 * the reading direction.
 */
export function characterProblem(text: string, path: string): ShapeProblem {
  const found = misleadingCharacter(text)
  return found === null
    ? { path, rule: 'control_character' }
    : { path, rule: 'misleading_character', found }
}
