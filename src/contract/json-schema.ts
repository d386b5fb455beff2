/** Converts the contract's schemas to plain JSON Schema 2020-12, for published documents. */
import type { TSchema } from './schema.ts'
import { anyText } from './text-rules.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** The keywords that the contract uses; it needs no others. */
export interface JsonSchema {
  $id?: string
  type?: string
  format?: string
  const?: Json
  enum?: string[]
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  pattern?: string
  propertyNames?: JsonSchema
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  minimum?: number
  maximum?: number
  default?: string | number | boolean
  description?: string
  examples?: Json[]
}

/** The value as JSON carries it. */
export function asJson(value: unknown): Json {
  const json: Json = JSON.parse(JSON.stringify(value))
  return json
}

/**
 * Returns the schema without the library's marks: those are not enumerable, so JSON drops them. A
 * part that accepts anything, because its verb validates it, shows what the verb accepts:
 * `x-described`.
 */
export function plainSchema(schema: TSchema): JsonSchema {
  const plain: JsonSchema = JSON.parse(JSON.stringify(schema, withoutRules), showDescribed)
  return plain
}

const withoutRules = (name: string, part: unknown): unknown =>
  name === 'x-rules' ? undefined : part

/** Options for the schema of a request. */
interface RequestParts {
  /** Names of parts whose texts may hold anything, since they are rewritten. */
  rewritten?: readonly string[]
  /** A body, where null counts as absent (docs/decisions/0029). */
  isBody?: boolean
}

/**
 * Returns the schema of a request with the rules that only the verb checks: `x-rules` of a part,
 * and that every text can be stored.
 */
export function requestSchema(
  schema: TSchema,
  { rewritten = [], isBody = false }: RequestParts = {},
): JsonSchema {
  const whole: JsonSchema = JSON.parse(JSON.stringify(schema), showDescribed)
  return withRules(whole, { rewritten, isBody, isFree: false })
}

function withRules(
  part: JsonSchema & { 'x-rules'?: JsonSchema },
  at: Required<RequestParts> & { isFree: boolean },
): JsonSchema {
  const { 'x-rules': rules, properties, items, anyOf, additionalProperties, ...own } = part
  const isText =
    own.type === 'string' && own.enum === undefined && own.const === undefined && !at.isFree
  const within = (inner: JsonSchema, name = ''): JsonSchema =>
    withRules(inner, { ...at, isFree: at.isFree || at.rewritten.includes(name) })
  const orAbsent = (inner: JsonSchema, isNeeded = false): JsonSchema =>
    at.isBody && !isNeeded ? orNull(inner) : inner
  return {
    ...own,
    ...(isText && { pattern: anyText }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [
          name,
          orAbsent(within(inner, name), own.required?.includes(name)),
        ]),
      ),
    }),
    ...(items && { items: within(items) }),
    ...(anyOf && { anyOf: anyOf.map((inner) => within(inner)) }),
    ...(typeof additionalProperties === 'object' && {
      ...(!at.isFree && { propertyNames: { pattern: anyText } }),
      additionalProperties: orAbsent(within(additionalProperties)),
    }),
    ...(typeof additionalProperties === 'boolean' && { additionalProperties }),
    ...rules,
  }
}

/** The documented keywords of a part stay on top, above the two kinds of value. */
function orNull(schema: JsonSchema): JsonSchema {
  if (schema.anyOf?.some(({ type }) => type === 'null')) return schema
  const { description, examples, default: otherwise, ...inner } = schema
  return {
    ...(description !== undefined && { description }),
    ...(examples && { examples }),
    ...(otherwise !== undefined && { default: otherwise }),
    anyOf: [inner, { type: 'null' }],
  }
}

function showDescribed(_name: string, part: unknown): unknown {
  if (typeof part !== 'object' || part === null || !('x-described' in part)) return part
  const { 'x-described': described, 'x-alone': _alone, ...own } = { 'x-alone': false, ...part }
  return { ...Object(described), ...own }
}

const plainStrings: Record<string, string> = {
  'date-time': '2026-11-21T08:30:00.000Z',
  uri: 'https://mail.example.com/docs',
  uuid: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
}

/**
 * Returns an example value for documents: the schema's own example or default; else one built from
 * its parts. An object has its required fields; nullable ones are null, so that dependent fields
 * agree.
 */
export function exampleOf(schema: JsonSchema): Json {
  const { examples, anyOf = [], enum: words, items, properties = {}, required = [] } = schema
  const sample = schema.const ?? schema.default ?? examples?.[0] ?? words?.[0]
  if (sample !== undefined) return sample
  if (anyOf.some(({ type }) => type === 'null')) return null
  if (anyOf[0]) return exampleOf(anyOf[0])
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]))
    case 'array':
      return items ? [exampleOf(items)] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'boolean':
      return false
    default:
      return plainStrings[schema.format ?? ''] ?? 'text'
  }
}
