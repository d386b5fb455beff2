/**
 * Validates short texts that users give, as `contract/plain-text.ts` reads them, or refuses them
 * with position and reason.
 */
import { readLine, splitLines } from '../../contract/plain-text.ts'
import { characterProblem, shapeError } from './shape-error.ts'

interface TextLocation {
  path: string
  max: number
}

/** Throws `validation_error`. */
export const mustBeLine = (text: string, location: TextLocation): string =>
  readLine(text, location.max) ?? refuse(text, location)

export const mustBeLines = (text: string, location: TextLocation): string =>
  splitLines(text, location.max) ?? refuse(text, location)

/** Returns null for null or only spaces. */
export const lineOrNull = (
  text: string | null | undefined,
  location: TextLocation,
): string | null =>
  text === null || text === undefined || text.trim() === '' ? null : mustBeLine(text, location)

export const linesOrNull = (
  text: string | null | undefined,
  location: TextLocation,
): string | null =>
  text === null || text === undefined || text.trim() === '' ? null : mustBeLines(text, location)

function refuse(text: string, { path, max }: TextLocation): never {
  const length = [...text.trim()].length
  if (length === 0) throw shapeError([{ path, rule: 'minLength', limit: 1 }])
  throw shapeError([
    length > max ? { path, rule: 'maxLength', limit: max } : characterProblem(text, path),
  ])
}
