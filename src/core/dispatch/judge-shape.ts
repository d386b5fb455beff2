/** Holds each part of a call against its schema, and tells what to mend when it does not fit. */
import type { IncomingHttpHeaders } from 'node:http'
import { Compile } from 'typebox/compile'
import { ApiError } from '../../contract/errors.ts'
import type { Hint } from '../../contract/hints.ts'
import { limits } from '../../contract/limits.ts'
import { operationIds, operations } from '../../contract/operations.ts'
import type { InputOf, Operation, OperationId } from '../../contract/operations.ts'
import type { TSchema } from '../../contract/schema.ts'

export interface RawInput {
  params: Record<string, string>
  query: Record<string, string>
  headers: IncomingHttpHeaders
  /** Parsed JSON; undefined when the operation takes no body. */
  body: unknown
}

interface Judge {
  Check(value: unknown): boolean
  Errors(value: unknown): ShapeError[]
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

/** Compiles every schema, once and before the first call: compiling takes milliseconds, judging microseconds. */
export function compileSchemas(): void {
  for (const id of operationIds) {
    const operation: Operation = operations[id]
    judges.set(id, {
      params: Compile(operation.params),
      query: Compile(operation.query),
      headers: Compile(operation.headers),
      body: operation.body ? Compile(operation.body) : null,
    })
  }
}

/** Answers the input as the operation's verb takes it, or throws `validation_error` with path, rule and limit. */
export function judgeShape<Id extends OperationId>(id: Id, raw: RawInput): InputOf<Id> {
  const judge = judges.get(id)
  if (!judge) throw new Error(`The schemas of ${id} were not compiled`)
  const operation: Operation = operations[id]
  const query = readNumbers(raw.query, operation.query)
  judgeText(query, '', 0)
  hold(judge.params, raw.params, '')
  hold(judge.query, query, '')
  hold(judge.headers, raw.headers, '')
  if (judge.body) {
    if (raw.body === undefined) throw shapeError([{ path: '', rule: 'required_body' }])
    judgeText(raw.body, '', 0)
    hold(judge.body, raw.body, '')
  }
  return asInput<Id>({ params: raw.params, query, headers: raw.headers, body: judge.body ? raw.body : undefined })
}

/** The schemas that were just checked are what makes this true. */
const asInput = <Id extends OperationId>(input: unknown): InputOf<Id> => input as InputOf<Id>

/** A query is text: parameters that are declared as integers are read as such, and left as they came when they are not. */
function readNumbers(query: Record<string, string>, schema: TSchema): Record<string, string | number> {
  const properties: Record<string, { type?: string }> =
    (schema as { properties?: Record<string, { type?: string }> }).properties ?? {}
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      Object.hasOwn(properties, name) && properties[name]?.type === 'integer' && /^-?\d{1,15}$/.test(value)
        ? Number(value)
        : value,
    ]),
  )
}

/**
 * Rules that no schema can say: nesting no deeper than 20, and texts that are valid Unicode and can be kept (PostgreSQL
 * has no place for U+0000).
 */
function judgeText(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw shapeError([{ path, rule: 'unicode' }])
    if (value.includes('\0')) throw shapeError([{ path, rule: 'control_character' }])
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= limits.jsonDepthMax) throw shapeError([{ path, rule: 'depth', limit: limits.jsonDepthMax }])
    for (const [name, inner] of Object.entries(value)) {
      judgeText(name, path, depth)
      judgeText(inner, path === '' ? name : `${path}.${name}`, depth + 1)
    }
  }
}

function hold(judge: Judge, value: unknown, prefix: string): void {
  if (judge.Check(value)) return
  const errors = judge.Errors(value).flatMap((error) => readError(error, prefix))
  throw shapeError(errors.toSorted((a, b) => usefulness(b) - usefulness(a)))
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
