/** Validates the name of a workspace, which recipients may read. */
import { readLine } from '../../contract/plain-text.ts'
import { characterProblem, shapeError } from '../input/shape-error.ts'

const nameMax = 120

export function readWorkspaceName(text: string, path: string): string {
  const name = readLine(text, nameMax)
  if (name === null) throw shapeError([characterProblem(text, path)])
  return name
}
