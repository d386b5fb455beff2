/** Validates each part of a call against its schema, and reports what to mend. */
import { Compile } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { counted } from '../../contract/error-cases.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Hint } from '../../contract/hints.ts'
import { limits } from '../../contract/limits.ts'
import { apiOperationIds, operations, type InputOf, type OperationId } from '../../contract/operations.ts'
import type { Operation } from '../../contract/operation.ts'
import type { TObject } from '../../contract/schema.ts'
import { anyOutline, outlineOf, type Outline } from './outline.ts'

// Ten problems are reported, and unions may produce many irrelevant ones, so more are collected.
Settings.Set({ maxErrors: 64 })

/** The input as an entry point found it: texts from an address, or any JSON from a tool's arguments. */
export interface RawInput {
  params: Record<string, unknown>
  query: Record<string, unknown>
  /** By lower-case names. */
  headers: Record<string, unknown>
  /** Parsed JSON; undefined when the operation takes no body. */
  body: unknown
  /** The body of an operation that takes a file. */
  file?: AsyncIterable<Buffer>
  /** Names of arguments that the operation does not have: a caller who gives one expects an effect that would not happen. */
  strangers?: string[]
}

interface Validator {
  Check(value: unknown): boolean
  Errors(value: unknown): [isFine: boolean, errors: ShapeError[]]
}

interface ShapeError {
  keyword: string
  instancePath: string
  params: object
}

const checks = new Map<OperationId, ReturnType<typeof compileOf>>()

/** Compiles the schemas of API calls once, before the first call: compiling takes milliseconds, validating microseconds. */
export function compileSchemas(): void {
  apiOperationIds.forEach(checkOf)
}

/** The users' schemas are compiled on first use: there are many, and they should not delay the start. */
function checkOf(id: OperationId) {
  const check = checks.get(id) ?? compileOf(operations[id])
  checks.set(id, check)
  return check
}

const compileOf = (operation: Operation) => ({
  params: Compile(operation.params),
  query: Compile(operation.query),
  headers: Compile(operation.headers),
  /** The only request headers that are read. */
  headerNames: Object.keys(operation.headers.properties),
  body: operation.body ? { validator: Compile(operation.body), outline: outlineOf(operation.body, operation) } : null,
})

/** Returns the input as the operation's verb takes it, or throws `validation_error` with path, rule and limit. */
export function validateShape<Id extends OperationId>(id: Id, raw: RawInput): InputOf<Id> {
  const check = checkOf(id)
  const operation: Operation = operations[id]
  if (raw.strangers && raw.strangers.length > 0) {
    throw shapeError(raw.strangers.map((path) => ({ path, rule: 'additionalProperties' })))
  }
  const params = withoutNulls(raw.params)
  const query = readNumbers(withoutNulls(raw.query), operation.query)
  const headers = withoutNulls(pick(raw.headers, check.headerNames))
  checkValues(pick(query, Object.keys(operation.query.properties)), anyOutline)
  checkValues(headers, anyOutline)
  hold(check.params, params)
  hold(check.query, query)
  hold(check.headers, headers)
  if (check.body) {
    if (raw.body === undefined) throw shapeError([{ path: '', rule: 'required_body' }])
    holdWithout(checkValues(raw.body, check.body.outline), check.body.validator, raw.body)
  }
  return asInput<Id>({ params, query, headers, body: check.body ? raw.body : undefined, file: raw.file })
}

/** The schemas were just checked, which makes this true. */
const asInput = <Id extends OperationId>(input: unknown): InputOf<Id> => input as InputOf<Id>

/** Keeps only the names that the operation reads. */
const pick = (values: Record<string, unknown>, names: string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]]))

/** Converts query parameters that are declared as integers; a text that is no integer stays as it is. */
function readNumbers(query: Record<string, unknown>, schema: TObject): Record<string, unknown> {
  const properties: Record<string, { type?: string }> = schema.properties
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      Object.hasOwn(properties, name) && properties[name]?.type === 'integer' && isWhole(value) ? Number(value) : value,
    ]),
  )
}

const isWhole = (value: unknown): boolean => typeof value === 'string' && /^-?\d{1,15}$/.test(value)

/** Null counts as absent (decision 0029). */
const withoutNulls = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

/** The bytes of a file, as a list of numbers in the body. */
interface ByteList {
  holder: Record<string, unknown>
  name: string
  bytes: number[]
}

/**
 * Checks rules that no schema can express: nesting of at most 20, a limited number of values, and storable texts.
 * Texts must be valid Unicode without U+0000, which PostgreSQL cannot store.
 * The traversal follows the outline: it ignores unknown keys (spec: EmailRequest) and refuses foreign ones by name.
 * Bytes of files are checked and not counted; such lists are returned.
 * A null in an object is removed, since it counts as absent (decision 0029), unless the schema names it as a value.
 */
function checkValues(value: unknown, outline: Outline): ByteList[] {
  const traversal: Traversal = { values: 0, lists: [] }
  const problem = findProblem(value, 0, outline, traversal)
  if (problem) {
    const { hint, ...found } = problem
    throw shapeError([{ ...found, path: found.path.toReversed().join('.') }], hint)
  }
  return traversal.lists
}

interface Traversal {
  values: number
  lists: ByteList[]
}

/**
 * The path is built on the way back from a problem, innermost step first: building it on the way down would cost more than the
 * traversal.
 */
type FoundProblem = Omit<ShapeProblem, 'path'> & { path: (string | number)[]; hint?: Hint }

function findProblem(value: unknown, depth: number, outline: Outline, traversal: Traversal): FoundProblem | null {
  if (typeof value === 'string') return outline.isRewritten ? null : findTextProblem(value)
  if (typeof value !== 'object' || value === null) return null
  if (depth >= limits.jsonDepthMax) return { path: [], rule: 'depth', limit: limits.jsonDepthMax }
  return Array.isArray(value) ? findInList(value, depth, outline, traversal) : findInObject(value, depth, outline, traversal)
}

function findInList(list: unknown[], depth: number, outline: Outline, traversal: Traversal): FoundProblem | null {
  if (!addValues(traversal, list.length)) return tooManyValues
  for (let place = 0; place < list.length; place++) {
    const problem = findProblem(list[place], depth + 1, outline.entries ?? outline, traversal)
    if (problem) return within(problem, place)
  }
  return null
}

function findInObject(value: object, depth: number, outline: Outline, traversal: Traversal): FoundProblem | null {
  // An object of the body holds its values by their names.
  const holder = value as Record<string, unknown>
  for (const name of Object.keys(holder)) {
    const inner = holder[name]
    const known = outline.names?.get(name) ?? (outline.names ? null : outline)
    if (known === null) {
      const hint = outline.foreign?.get(name)
      if (hint !== undefined && !isAbsent(inner)) return { path: [name], rule: 'not_supported', hint }
      continue
    }
    if (!addValues(traversal, 1)) return tooManyValues
    if (inner === null && (known === outline || !known.admitsNull)) {
      delete holder[name]
      continue
    }
    const badName = outline.isRewritten ? null : findTextProblem(name)
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

const addValues = (traversal: Traversal, count: number): boolean => (traversal.values += count) <= limits.jsonValuesMax

const tooManyValues: FoundProblem = { path: [], rule: 'values', limit: limits.jsonValuesMax }

const within = (problem: FoundProblem, step: string | number): FoundProblem => ({ ...problem, path: [...problem.path, step] })

function findTextProblem(text: string): FoundProblem | null {
  if (!text.isWellFormed()) return { path: [], rule: 'unicode' }
  return text.includes('\0') ? { path: [], rule: 'control_character' } : null
}

function isByteList(value: unknown): value is number[] {
  if (!Array.isArray(value)) return false
  for (let place = 0; place < value.length; place++) {
    const byte: unknown = value[place]
    if (typeof byte !== 'number' || byte < 0 || byte > 255 || !Number.isInteger(byte)) return false
  }
  return true
}

/** Validates a body without the bytes of its files: they were checked, and may be ten million. */
function holdWithout(lists: ByteList[], validator: Validator, body: unknown): void {
  for (const { holder, name } of lists) holder[name] = []
  hold(validator, body)
  for (const { holder, name, bytes } of lists) holder[name] = bytes
}

function hold(validator: Validator, value: unknown): void {
  if (validator.Check(value)) return
  const [, found] = validator.Errors(value)
  const errors = found.flatMap((error) => readError(error, value, typesAt(found)))
  throw shapeError(meant(errors).toSorted((a, b) => usefulness(b) - usefulness(a)))
}

/**
 * Removes the problems of union branches that were not meant: if a value breaks another rule, or something inside it does, its
 * type was right.
 */
function meant(problems: ShapeProblem[]): ShapeProblem[] {
  const isWithin = (inner: string, outer: string): boolean => outer === '' || inner.startsWith(`${outer}.`)
  return problems.filter(
    ({ path, rule }, index) =>
      rule !== 'type' ||
      !problems.some((other, place) =>
        other.path === path ? other.rule !== 'type' || place < index : isWithin(other.path, path),
      ),
  )
}

export interface ShapeProblem {
  /** The position: `to.0`, `tags.3.name`; empty for the whole body. */
  path: string
  rule: string
  /** The rule's number. */
  limit?: number
  /** The position in the text, in code points. */
  at?: number
  /** The values allowed. */
  allowed?: unknown[]
  /** The types, the format or the pattern allowed. */
  expected?: string | string[]
  /** The found value: its kind, its length, or itself. */
  found?: string | number | boolean
}

/** Puts the most useful problem first, with up to ten beside it. */
export function shapeError(problems: ShapeProblem[], hint?: Hint): ApiError {
  const [first] = problems
  return new ApiError('validation_error', { ...first, errors: problems.slice(0, 10), ...(hint === undefined ? {} : { hint }) })
}

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
    return (known.requiredProperties ?? []).map((name) => ({ path: path === '' ? name : `${path}.${name}`, rule: 'required' }))
  }
  const rule = keyword === 'anyOf' ? 'type' : keyword
  const pattern = 'pattern' in params ? String(params.pattern) : undefined
  const expected = rule === 'type' ? types.get(instancePath)?.filter((type) => type !== 'null') : (known.format ?? pattern)
  const found = foundAt(whole, steps, rule)
  return [
    {
      path,
      rule,
      ...(known.limit === undefined ? {} : { limit: known.limit }),
      ...(known.allowedValues ? { allowed: known.allowedValues } : {}),
      ...(known.allowedValue === undefined ? {} : { allowed: [known.allowedValue] }),
      ...(expected === undefined || expected.length === 0 ? {} : { expected }),
      ...(found === undefined ? {} : { found }),
    },
  ]
}

/** Describes the value as far as it helps: its kind, its length, or itself if it is short and no secret. */
function foundAt(whole: unknown, steps: string[], rule: string): string | number | boolean | undefined {
  const value = steps.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    whole,
  )
  if (rule === 'type') return kindOf(value)
  if (counted.has(rule)) return countOf(value)
  // No secret is one of a list of words.
  if (rule !== 'enum' && steps.some((step) => /password|secret|token|code|key/i.test(step))) return undefined
  if (typeof value === 'string') return value.length <= foundMax ? value : `${value.slice(0, foundMax).toWellFormed()}…`
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
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value

/** The deepest problem belongs to the union branch that was meant. */
const usefulness = (problem: ShapeProblem): number => problem.path.split('.').length * 2 + (problem.rule === 'type' ? 0 : 1)
