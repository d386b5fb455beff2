/** Texts of one line: a control character in them is refused, never repaired (security: Control characters). */
import { forbiddenPattern } from '../contract/address.ts'
import { shapeError } from './dispatch/judge-shape.ts'

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controlPattern = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Throws `validation_error` at `path`. */
export function refuseControls(text: string, path: string): void {
  if (controlPattern.test(text)) throw shapeError([{ path, rule: 'control_character' }])
}

/** The same for a name that a reader decides by, such as a file's: what a display name cannot hold, it cannot hold either. */
export function refuseMisleading(text: string, path: string): void {
  refuseControls(text, path)
  if (forbiddenPattern.test(text)) throw shapeError([{ path, rule: 'misleading_character' }])
}
