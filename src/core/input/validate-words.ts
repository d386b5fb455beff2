/**
 * Validates short texts that users give, as `contract/plain-text.ts` reads them, or refuses them
 * with position and reason.
 */
import { readLine, splitLines } from '../../contract/plain-text.ts'
import { characterProblem, shapeError } from './shape-error.ts'

interface Place {
  path: string
  max: number
}

/** Throws `validation_error`. */
export const mustBeLine = (text: string, place: Place): string =>
  readLine(text, place.max) ?? refuse(text, place)

export const mustBeLines = (text: string, place: Place): string =>
  splitLines(text, place.max) ?? refuse(text, place)

/** Returns null for null or only spaces. */
export const lineOrNull = (text: string | null | undefined, place: Place): string | null =>
  text === null || text === undefined || text.trim() === '' ? null : mustBeLine(text, place)

export const linesOrNull = (text: string | null | undefined, place: Place): string | null =>
  text === null || text === undefined || text.trim() === '' ? null : mustBeLines(text, place)

function refuse(text: string, { path, max }: Place): never {
  const length = [...text.trim()].length
  if (length === 0) throw shapeError([{ path, rule: 'minLength', limit: 1 }])
  throw shapeError([
    length > max ? { path, rule: 'maxLength', limit: max } : characterProblem(text, path),
  ])
}
