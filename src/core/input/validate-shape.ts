/** Validates each part of a call against its schema, and reports what to mend. */
import { Compile } from 'typebox/schema'
import {
  apiOperationIds,
  operations,
  type InputOf,
  type OperationId,
} from '../../contract/operations.ts'
import type { Operation } from '../../contract/operation.ts'
import type { TObject } from '../../contract/schema.ts'
import { schemaError, type Validator } from './check-schema.ts'
import { checkValues, type ByteList } from './check-values.ts'
import { anyOutline, outlineOf, type Outline } from './outline.ts'
import { shapeError } from './shape-error.ts'

/**
 * The input as an entry point found it: texts from an address, or any JSON from a tool's arguments.
 */
export interface RawInput {
  params: Record<string, unknown>
  query: Record<string, unknown>
  /** By lower-case names. */
  headers: Record<string, unknown>
  /** Parsed JSON; undefined when there is none. */
  body: unknown
  /** The body of an operation that takes a file. */
  file?: AsyncIterable<Buffer>
  /**
   * Names of arguments that the operation does not have: a caller who gives one expects an effect
   * that would not happen.
   */
  strangers?: string[]
}

const checks = new Map<Operation, ReturnType<typeof compileOf>>()

/**
 * Compiles the schemas of API calls once, before the first call: compiling takes milliseconds,
 * validating microseconds.
 */
export function compileSchemas(): void {
  for (const id of apiOperationIds) checkOf(operations[id])
}

/**
 * The users' schemas are compiled on first use: there are many, and they should not delay the
 * start.
 */
function checkOf(operation: Operation) {
  const check = checks.get(operation) ?? compileOf(operation)
  checks.set(operation, check)
  return check
}

const compileOf = (operation: Operation) => ({
  params: compilePart(operation.params),
  query: compilePart(operation.query),
  headers: compilePart(operation.headers),
  body: operation.body
    ? { validator: Compile(operation.body), outline: outlineOf(operation.body, operation) }
    : null,
  refused: operation.body ? null : refusedNames(operation),
})

/** The outline of what comes to an operation without a body that refuses some keys by name. */
const refusedNames = ({ foreign }: Operation): Outline | null =>
  foreign ? { names: new Map(), foreign: new Map(Object.entries(foreign[''] ?? {})) } : null

/**
 * `names`: the only parameters or headers that a verb gets to read. Null if none is read, and none
 * refused.
 */
function compilePart(schema: TObject): { names: string[]; validator: Validator } | null {
  const names = Object.keys(schema.properties)
  const isIdle = names.length === 0 && !('additionalProperties' in schema)
  return isIdle ? null : { names, validator: Compile(schema) }
}

/**
 * Returns the input as the operation's verb takes it, or throws `validation_error` with path, rule
 * and limit. `operation`: as the caller calls it.
 */
export function validateShape<Id extends OperationId>(
  id: Id,
  raw: RawInput,
  operation: Operation = operations[id],
): InputOf<Id> {
  const check = checkOf(operation)
  if (raw.strangers && raw.strangers.length > 0) {
    throw shapeError(raw.strangers.map((path) => ({ path, rule: 'additionalProperties' })))
  }
  const params = check.params ? pick(raw.params, check.params.names) : {}
  const query = check.query ? readNumbers(pick(raw.query, check.query.names), operation.query) : {}
  const headers = check.headers ? pick(raw.headers, check.headers.names) : {}
  if (check.query) checkValues(query, anyOutline)
  if (check.headers) checkValues(headers, anyOutline)
  if (check.params) checkSchema(check.params.validator, params)
  if (check.query) checkSchema(check.query.validator, query)
  if (check.headers) checkSchema(check.headers.validator, headers)
  if (check.body) {
    if (raw.body === undefined) throw shapeError([{ path: '', rule: 'required_body' }])
    checkWithoutFiles(checkValues(raw.body, check.body.outline), check.body.validator, raw.body)
  }
  if (check.refused && isObject(raw.body)) checkValues(raw.body, check.refused)
  return asInput<Id>({
    params,
    query,
    headers,
    body: check.body ? raw.body : undefined,
    file: raw.file,
  })
}

function checkSchema(validator: Validator, value: unknown): void {
  if (!validator.Check(value)) throw schemaError(validator, value)
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schemas were just checked, which makes this true. */
const asInput = <Id extends OperationId>(input: unknown): InputOf<Id> => input as InputOf<Id>

/** Keeps the names that the operation reads. Null counts as absent (decision 0029). */
const pick = (values: Record<string, unknown>, names: string[]): Record<string, unknown> =>
  Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(values, name) && values[name] !== null)
      .map((name) => [name, values[name]]),
  )

/**
 * Converts query parameters that are declared as integers; a text that is no integer stays as it
 * is.
 */
function readNumbers(query: Record<string, unknown>, schema: TObject): Record<string, unknown> {
  const properties: Record<string, { type?: string }> = schema.properties
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      properties[name]?.type === 'integer' && isWhole(value) ? Number(value) : value,
    ]),
  )
}

const isWhole = (value: unknown): boolean => typeof value === 'string' && /^-?\d{1,15}$/.test(value)

/** Validates a body without the bytes of its files: they were checked, and may be ten million. */
function checkWithoutFiles(lists: ByteList[], validator: Validator, body: unknown): void {
  for (const { holder, name } of lists) holder[name] = []
  checkSchema(validator, body)
  for (const { holder, name, bytes } of lists) holder[name] = bytes
}
