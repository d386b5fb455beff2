/** The contract's schemas as plain JSON Schema 2020-12, for whatever is written for others to read. */
import type { TSchema } from './schema.ts'
import { anyText } from './text-rules.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** The keywords that the contract uses; the rest of JSON Schema is not needed here. */
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

/** The value as it travels. */
export function asJson(value: unknown): Json {
  const json: Json = JSON.parse(JSON.stringify(value))
  return json
}

/**
 * The schema without the marks of the library: those are not enumerable, so JSON leaves them behind. A part that admits anything,
 * because its verb judges it, is shown as what the verb admits: `x-told`.
 */
export function plainSchema(schema: TSchema): JsonSchema {
  const plain: JsonSchema = JSON.parse(JSON.stringify(schema, withoutRules), showTold)
  return plain
}

const withoutRules = (name: string, part: unknown): unknown => (name === 'x-rules' ? undefined : part)

/** What a caller writes, beside its schema. */
interface RequestParts {
  /** Names of parts whose texts may hold anything: they are rewritten. */
  rewritten?: readonly string[]
  /** A body, where null is as good as absent (docs/decisions/0029). */
  isBody?: boolean
}

/** The schema of what a caller writes, with what only the verb checks: `x-rules` of a part, and for every text that it can be kept. */
export function requestSchema(schema: TSchema, { rewritten = [], isBody = false }: RequestParts = {}): JsonSchema {
  const whole: JsonSchema = JSON.parse(JSON.stringify(schema), showTold)
  return withRules(whole, { rewritten, isBody, isFree: false })
}

function withRules(part: JsonSchema & { 'x-rules'?: JsonSchema }, at: Required<RequestParts> & { isFree: boolean }): JsonSchema {
  const { 'x-rules': rules, properties, items, anyOf, additionalProperties, ...own } = part
  const isText = own.type === 'string' && own.enum === undefined && own.const === undefined && !at.isFree
  const within = (inner: JsonSchema, name = ''): JsonSchema =>
    withRules(inner, { ...at, isFree: at.isFree || at.rewritten.includes(name) })
  const orAbsent = (inner: JsonSchema, isNeeded = false): JsonSchema => (at.isBody && !isNeeded ? orNull(inner) : inner)
  return {
    ...own,
    ...(isText && { pattern: anyText }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, orAbsent(within(inner, name), own.required?.includes(name))]),
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

/** What documents show of a part stays on top, above the two kinds of value. */
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

function showTold(_name: string, part: unknown): unknown {
  if (typeof part !== 'object' || part === null || !('x-told' in part)) return part
  const { 'x-told': told, ...own } = part
  return { ...Object(told), ...own }
}

const plainStrings: Record<string, string> = {
  'date-time': '2026-11-21T08:30:00.000Z',
  uri: 'https://mail.example.com/docs',
  uuid: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
}

/**
 * A value that the schema accepts, for documents: its own example or default; else what its parts give. An object shows its required
 * fields; what may be null is null, so that fields which depend on each other agree.
 */
export function exampleOf(schema: JsonSchema): Json {
  const { examples, anyOf = [], enum: words, items, properties = {}, required = [] } = schema
  const given = schema.const ?? schema.default ?? examples?.[0] ?? words?.[0]
  if (given !== undefined) return given
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
