/** Holds each part of a call against its schema, and tells what to mend when it does not fit. */
import { Compile } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { ApiError } from '../../contract/errors.ts'
import type { Hint } from '../../contract/hints.ts'
import { limits } from '../../contract/limits.ts'
import { operationIds, operations } from '../../contract/operations.ts'
import type { Operation } from '../../contract/operation.ts'
import type { InputOf, OperationId } from '../../contract/operations.ts'
import type { TSchema } from '../../contract/schema.ts'

// Of ten that are told, most may be complaints of branches of a union that were not meant: more are looked for.
Settings.Set({ maxErrors: 64 })

/** As a door found it: texts where it came in an address, any JSON where it is a tool's arguments. */
export interface RawInput {
  params: Record<string, unknown>
  query: Record<string, unknown>
  /** By lower-case names. */
  headers: Record<string, unknown>
  /** Parsed JSON; undefined when the operation takes no body. */
  body: unknown
  /** The body of an operation that takes a file. */
  file?: AsyncIterable<Buffer>
  /** Names of arguments that the operation has no place for: whoever gives one means something that would not happen. */
  strangers?: string[]
}

interface Judge {
  Check(value: unknown): boolean
  Errors(value: unknown): [isFine: boolean, errors: ShapeError[]]
}

interface ShapeError {
  keyword: string
  instancePath: string
  params: object
}

interface Judges {
  params: Judge
  query: Judge
  headers: Judge
  body: Judge | null
}

const judges = new Map<OperationId, Judges>()

/** Compiles the schemas of programs' calls, once and before the first: compiling takes milliseconds, judging microseconds. */
export function compileSchemas(): void {
  for (const id of operationIds) if (operations[id].door === 'api') judgeOf(id)
}

/** People's are compiled when one is first asked for: there are many, and a start is not to wait for them. */
function judgeOf(id: OperationId): Judges {
  const known = judges.get(id)
  if (known) return known
  const operation: Operation = operations[id]
  const compiled = {
    params: Compile(operation.params),
    query: Compile(operation.query),
    headers: Compile(operation.headers),
    body: operation.body ? Compile(operation.body) : null,
  }
  judges.set(id, compiled)
  return compiled
}

/** Answers the input as the operation's verb takes it, or throws `validation_error` with path, rule and limit. */
export function judgeShape<Id extends OperationId>(id: Id, raw: RawInput): InputOf<Id> {
  const judge = judgeOf(id)
  const operation: Operation = operations[id]
  if (raw.strangers && raw.strangers.length > 0) {
    throw shapeError(raw.strangers.map((path) => ({ path, rule: 'additionalProperties' })))
  }
  const query = readNumbers(raw.query, operation.query)
  judgeValues(query)
  judgeValues(pick(raw.headers, Object.keys(operation.headers.properties)))
  hold(judge.params, raw.params, '')
  hold(judge.query, query, '')
  hold(judge.headers, raw.headers, '')
  if (judge.body) {
    if (raw.body === undefined) throw shapeError([{ path: '', rule: 'required_body' }])
    const files = judgeValues(raw.body, operation.rewritten)
    holdWithout(files, judge.body, raw.body)
  }
  return asInput<Id>({ params: raw.params, query, headers: raw.headers, body: judge.body ? raw.body : undefined, file: raw.file })
}

/** The schemas that were just checked are what makes this true. */
const asInput = <Id extends OperationId>(input: unknown): InputOf<Id> => input as InputOf<Id>

/** Only what the operation reads. */
const pick = (values: Record<string, unknown>, names: string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]]))

/** A query is text: parameters that are declared as integers are read as such, and left as they came when they are not. */
function readNumbers(query: Record<string, unknown>, schema: TSchema): Record<string, unknown> {
  const properties: Record<string, { type?: string }> =
    (schema as { properties?: Record<string, { type?: string }> }).properties ?? {}
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      Object.hasOwn(properties, name) && properties[name]?.type === 'integer' && isWhole(value) ? Number(value) : value,
    ]),
  )
}

const isWhole = (value: unknown): boolean => typeof value === 'string' && /^-?\d{1,15}$/.test(value)

/** A file as Node.js writes a Buffer in JSON: `{type: 'Buffer', data: [72, 105]}`. */
interface BufferJson {
  data: number[]
}

/**
 * Rules that no schema can say: nesting no deeper than 20, no more values than a call can have reason for, and texts that are
 * valid Unicode and can be kept (PostgreSQL has no place for U+0000). Texts of the parts named in `rewritten` are kept otherwise
 * than they came, and may hold anything. The octets of a Buffer are judged and not counted; such files are answered.
 */
function judgeValues(value: unknown, rewritten: readonly string[] = []): BufferJson[] {
  const walk: Walk = { values: 0, files: [], rewritten, rewrittenDepth: Array.isArray(value) ? 1 : 0, isRewritten: false }
  const problem = findProblem(value, 0, walk)
  if (problem) throw shapeError([{ ...problem, path: problem.path.toReversed().join('.') }])
  return walk.files
}

interface Walk {
  values: number
  files: BufferJson[]
  rewritten: readonly string[]
  /** Where the parts so named stand: at the top, or in each entry of a list. */
  rewrittenDepth: number
  /** The walk is inside one of them. */
  isRewritten: boolean
}

/** The path is built on the way back from a problem, innermost step first: building it on the way down would cost more than the walk. */
type FoundProblem = Omit<ShapeProblem, 'path'> & { path: (string | number)[] }

function findProblem(value: unknown, depth: number, walk: Walk): FoundProblem | null {
  if (typeof value === 'string') return walk.isRewritten ? null : findTextProblem(value)
  if (typeof value !== 'object' || value === null) return null
  if (depth >= limits.jsonDepthMax) return { path: [], rule: 'depth', limit: limits.jsonDepthMax }
  if (isBufferJson(value)) {
    walk.files.push(value)
    return null
  }
  const names = Array.isArray(value) ? null : Object.keys(value)
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
  walk.values += inner.length
  if (walk.values > limits.jsonValuesMax) return { path: [], rule: 'values', limit: limits.jsonValuesMax }
  for (let place = 0; place < inner.length; place++) {
    const name = names?.[place]
    const badName = name === undefined || walk.isRewritten ? null : findTextProblem(name)
    if (badName) return badName
    const isRewritten = walk.isRewritten
    if (depth === walk.rewrittenDepth && name !== undefined && walk.rewritten.includes(name)) walk.isRewritten = true
    const problem = findProblem(inner[place], depth + 1, walk)
    walk.isRewritten = isRewritten
    if (problem) {
      problem.path.push(name ?? place)
      return problem
    }
  }
  return null
}

function findTextProblem(text: string): FoundProblem | null {
  if (!text.isWellFormed()) return { path: [], rule: 'unicode' }
  return text.includes('\0') ? { path: [], rule: 'control_character' } : null
}

function isBufferJson(value: object): value is BufferJson {
  if (!('type' in value && 'data' in value) || value.type !== 'Buffer' || !Array.isArray(value.data)) return false
  // Whatever else it holds must be walked.
  if (Object.keys(value).length > 2) return false
  const data: unknown[] = value.data
  for (let place = 0; place < data.length; place++) {
    const octet = data[place]
    if (typeof octet !== 'number' || octet < 0 || octet > 255 || !Number.isInteger(octet)) return false
  }
  return true
}

/** Holds a body against its schema with its files set aside: their octets are known to be good, and may be ten million. */
function holdWithout(files: BufferJson[], judge: Judge, body: unknown): void {
  const contents = files.map((file) => file.data)
  for (const file of files) file.data = []
  hold(judge, body, '')
  files.forEach((file, index) => (file.data = contents[index] ?? []))
}

function hold(judge: Judge, value: unknown, prefix: string): void {
  if (judge.Check(value)) return
  const [, found] = judge.Errors(value)
  const errors = found.flatMap((error) => readError(error, prefix))
  throw shapeError(meant(errors).toSorted((a, b) => usefulness(b) - usefulness(a)))
}

/**
 * Without the complaints of branches of a union that were not meant: where a value breaks another rule, or something within it
 * does, its type was right.
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
  /** Where: `to.0`, `tags.3.name`; empty for the whole body. */
  path: string
  rule: string
  /** The number the rule is about. */
  limit?: number
  /** Where in the text, in code points. */
  at?: number
  /** The values allowed. */
  allowed?: unknown[]
}

/** The most telling problem first, all of them (ten at most) beside it. */
export function shapeError(problems: ShapeProblem[], hint?: Hint): ApiError {
  const [first] = problems
  return new ApiError('validation_error', { ...first, errors: problems.slice(0, 10), ...(hint === undefined ? {} : { hint }) })
}

function readError(error: ShapeError, prefix: string): ShapeProblem[] {
  const path = prefix + error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  const params: { limit?: number; requiredProperties?: string[]; allowedValues?: unknown[]; type?: string } = error.params
  if (error.keyword === 'required') {
    return (params.requiredProperties ?? []).map((name) => ({ path: path === '' ? name : `${path}.${name}`, rule: 'required' }))
  }
  return [
    {
      path,
      rule: error.keyword === 'anyOf' ? 'type' : error.keyword,
      ...(params.limit === undefined ? {} : { limit: params.limit }),
      ...(params.allowedValues ? { allowed: params.allowedValues } : {}),
    },
  ]
}

/** Of the branches of a union, the deepest problem is the one of the branch that was meant. */
const usefulness = (problem: ShapeProblem): number => problem.path.split('.').length * 2 + (problem.rule === 'type' ? 0 : 1)
