/** The name of a person, as others read it: one line, without control characters; empty is none. */
import { personLimits } from '../../contract/workspace/person-schemas.ts'
import { readLine } from '../../contract/plain-text.ts'
import { shapeError } from '../dispatch/judge-shape.ts'
import { characterProblem } from '../refuse-controls.ts'

export function readPersonName(text: string): string {
  if (text.trim() === '') return ''
  const name = readLine(text, personLimits.nameMax)
  if (name === null) throw shapeError([characterProblem(text, 'name')])
  return name
}
