/**
 * Reads the errors of a value against its compiled schema as problems that a caller can mend.
 */
import { Settings } from 'typebox/system'
import { counted } from '../../contract/error-cases.ts'
import type { ApiError } from '../../contract/errors.ts'
import { hintOfWord } from '../../contract/hints.ts'
import { shapeError, type ShapeProblem } from './shape-error.ts'

// Ten problems are reported, and unions may produce many irrelevant ones, so more are collected.
Settings.Set({ maxErrors: 64 })

export interface Validator {
  Check(value: unknown): boolean
  Errors(value: unknown): [isFine: boolean, errors: ShapeError[]]
}

interface ShapeError {
  keyword: string
  instancePath: string
  params: object
}

/** The refusal of a value that `Check` refuses: its problems, the most useful one first. */
export function schemaError(validator: Validator, value: unknown): ApiError {
  const [, result] = validator.Errors(value)
  const errors = result.flatMap((error) => readError(error, value, typesAt(result)))
  const problems = meant(errors).toSorted((a, b) => usefulness(b) - usefulness(a))
  const [first] = problems
  return shapeError(problems, first?.rule === 'enum' ? hintOfWord(String(first.found)) : undefined)
}

/**
 * Removes the problems of union branches that were not meant: if a value breaks another rule, or
 * something inside it does, its type was right.
 */
function meant(problems: ShapeProblem[]): ShapeProblem[] {
  const isWithin = (inner: string, outer: string): boolean =>
    outer === '' || inner.startsWith(`${outer}.`)
  return problems.filter(
    ({ path, rule }, index) =>
      rule !== 'type' ||
      !problems.some((other, position) =>
        other.path === path
          ? other.rule !== 'type' || position < index
          : isWithin(other.path, path),
      ),
  )
}

/** The deepest problem belongs to the union branch that was meant. */
const usefulness = (problem: ShapeProblem): number =>
  problem.path.split('.').length * 2 + (problem.rule === 'type' ? 0 : 1)

/** The types that any branch accepts at each position. */
function typesAt(errors: ShapeError[]): ReadonlyMap<string, string[]> {
  const types = new Map<string, string[]>()
  for (const { keyword, instancePath, params } of errors) {
    if (keyword !== 'type' || !('type' in params)) continue
    const known = types.get(instancePath) ?? []
    types.set(instancePath, [...new Set([...known, ...[params.type].flat().map(String)])])
  }
  return types
}

function readError(
  { keyword, instancePath, params }: ShapeError,
  whole: unknown,
  types: ReadonlyMap<string, string[]>,
): ShapeProblem[] {
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const path = steps.join('.')
  const known: {
    limit?: number
    requiredProperties?: string[]
    allowedValues?: unknown[]
    allowedValue?: unknown
    format?: string
  } = params
  if (keyword === 'required') {
    return (known.requiredProperties ?? []).map((name) => ({
      path: path === '' ? name : `${path}.${name}`,
      rule: 'required',
    }))
  }
  const rule = keyword === 'anyOf' ? 'type' : keyword
  const pattern = 'pattern' in params ? String(params.pattern) : undefined
  const expected =
    rule === 'type'
      ? types.get(instancePath)?.filter((type) => type !== 'null')
      : (known.format ?? pattern)
  const result = foundAt(whole, steps, rule)
  return [
    {
      path,
      rule,
      ...(known.limit === undefined ? {} : { limit: known.limit }),
      ...(known.allowedValues ? { allowed: known.allowedValues } : {}),
      ...(known.allowedValue === undefined ? {} : { allowed: [known.allowedValue] }),
      ...(expected === undefined || expected.length === 0 ? {} : { expected }),
      ...(result === undefined ? {} : { found: result }),
    },
  ]
}

/**
 * Describes the value as far as it helps: its kind, its length, or itself if it is short and no
 * secret.
 */
function foundAt(
  whole: unknown,
  steps: string[],
  rule: string,
): string | number | boolean | undefined {
  const value = steps.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined,
    whole,
  )
  if (rule === 'type') return kindOf(value)
  if (counted.has(rule)) return countOf(value)
  // No secret is one of a list of words.
  if (rule !== 'enum' && steps.some((step) => /password|secret|token|code|key/i.test(step)))
    return undefined
  if (typeof value === 'string')
    return value.length <= foundMax ? value : `${value.slice(0, foundMax).toWellFormed()}…`
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

/** Characters of a text, entries of a list or an object. */
function countOf(value: unknown): number | undefined {
  if (typeof value === 'string') return [...value].length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined
}

/** Characters of a value that a refusal repeats. */
const foundMax = 60

const kindOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : Number.isInteger(value)
        ? 'integer'
        : typeof value
