/** Validates a user's name: one line without control characters; empty means none. */
import { userLimits } from '../../contract/workspace/user-schemas.ts'
import { readLine } from '../../contract/plain-text.ts'
import { characterProblem, shapeError } from '../input/shape-error.ts'

export function readUserName(text: string): string {
  if (text.trim() === '') return ''
  const name = readLine(text, userLimits.nameMax)
  if (name === null) throw shapeError([characterProblem(text, 'name')])
  return name
}
