/** Checks rules for texts and values of an input that no schema can express. */
import { forbiddenPattern } from '../../ground/address.ts'
import type { Hint } from '../../contract/hints.ts'
import { limits } from '../../contract/limits.ts'
import type { Outline } from './outline.ts'
import { characterProblem, shapeError, type ShapeProblem } from './shape-error.ts'

/**
 * Checks in one traversal: nesting of at most 20, a limited number of values, and storable texts.
 * Texts must be valid Unicode without U+0000, which PostgreSQL cannot store. The traversal follows
 * the outline: it ignores unknown keys (spec: EmailRequest) and refuses foreign ones by name. Bytes
 * of files are checked and not counted; such lists are returned. A null in an object is removed,
 * since it counts as absent (decision 0029), unless the schema names it as a value.
 */
export function checkValues(value: unknown, outline: Outline): ByteList[] {
  const traversal: Traversal = { values: 0, lists: [] }
  const problem = findProblem(value, 0, outline, traversal)
  if (problem) {
    const { hint, ...result } = problem
    throw shapeError([{ ...result, path: result.path.toReversed().join('.') }], hint)
  }
  return traversal.lists
}

/** The bytes of a file, as a list of numbers in the body. */
export interface ByteList {
  holder: Record<string, unknown>
  name: string
  bytes: number[]
}

interface Traversal {
  values: number
  lists: ByteList[]
}

/**
 * The path is built on the way back from a problem, innermost step first: building it on the way
 * down would cost more than the traversal.
 */
type FoundProblem = Omit<ShapeProblem, 'path'> & { path: (string | number)[]; hint?: Hint }

function findProblem(
  value: unknown,
  depth: number,
  outline: Outline,
  traversal: Traversal,
): FoundProblem | null {
  if (typeof value === 'string') return outline.isRewritten ? null : findTextProblem(value)
  if (typeof value !== 'object' || value === null) return null
  if (depth >= limits.jsonDepthMax) return { path: [], rule: 'depth', limit: limits.jsonDepthMax }
  return Array.isArray(value)
    ? findInList(value, depth, outline, traversal)
    : findInObject(value, depth, outline, traversal)
}

function findInList(
  list: unknown[],
  depth: number,
  outline: Outline,
  traversal: Traversal,
): FoundProblem | null {
  if (!addValues(traversal, list.length)) return tooManyValues
  for (let index = 0; index < list.length; index++) {
    const problem = findProblem(list[index], depth + 1, outline.entries ?? outline, traversal)
    if (problem) return within(problem, index)
  }
  return null
}

function findInObject(
  value: object,
  depth: number,
  outline: Outline,
  traversal: Traversal,
): FoundProblem | null {
  // An object of the body holds its values by their names.
  const holder = value as Record<string, unknown>
  for (const name of Object.keys(holder)) {
    const inner = holder[name]
    const known = outline.names?.get(name) ?? (outline.names ? null : outline)
    if (known === null) {
      const hint = outline.foreign?.get(name)
      if (hint !== undefined && !isAbsent(inner))
        return { path: [name], rule: 'not_supported', hint }
      continue
    }
    if (!addValues(traversal, 1)) return tooManyValues
    if (inner === null && (known === outline || !known.admitsNull)) {
      delete holder[name]
      continue
    }
    // A name that the outline knows is one of ours.
    const badName = outline.names || outline.isRewritten ? null : findTextProblem(name)
    if (badName) return badName
    if (known.isBytes && isByteList(inner)) {
      traversal.lists.push({ holder, name, bytes: inner })
      continue
    }
    const problem = findProblem(inner, depth + 1, known, traversal)
    if (problem) return within(problem, name)
  }
  return null
}

/** SDKs of typed languages write an unset field as null or as an empty text. */
const isAbsent = (value: unknown): boolean => value === null || value === undefined || value === ''

const addValues = (traversal: Traversal, count: number): boolean =>
  (traversal.values += count) <= limits.jsonValuesMax

const tooManyValues: FoundProblem = { path: [], rule: 'values', limit: limits.jsonValuesMax }

const within = (problem: FoundProblem, step: string | number): FoundProblem => ({
  ...problem,
  path: [...problem.path, step],
})

function findTextProblem(text: string): FoundProblem | null {
  if (!text.isWellFormed()) return { path: [], rule: 'unicode' }
  return text.includes('\0') ? { path: [], rule: 'control_character' } : null
}

function isByteList(value: unknown): value is number[] {
  if (!Array.isArray(value)) return false
  for (let index = 0; index < value.length; index++) {
    const byte: unknown = value[index]
    if (typeof byte !== 'number' || byte < 0 || byte > 255 || !Number.isInteger(byte)) return false
  }
  return true
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controlPattern = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/**
 * Refuses control characters in a text of one line instead of repairing them (security: Control
 * characters). Throws `validation_error` at `path`.
 */
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
