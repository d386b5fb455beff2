/**
 * Derives the tools for agents from the operations: names, texts, schemas, and the place of each
 * argument.
 */
import { plainSchema, type JsonSchema } from './json-schema.ts'
import { operationIds, operations, type OperationId } from './operations.ts'
import type { Operation, Tool } from './operation.ts'
import { topicUri } from './reference/topics.ts'
import type { TSchema } from './schema.ts'

/** A tool as `tools/list` returns it. */
export interface ToolDefinition {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  annotations: {
    title: string
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

/** `sendEmail` is the tool `send_email`. */
export const toolName = (id: OperationId): string =>
  id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const toolIds = operationIds.filter((id) => 'tool' in operations[id])

/** The operation of each tool; a map, so that names such as `__proto__` find nothing. */
export const operationsByTool: ReadonlyMap<string, OperationId> = new Map(
  toolIds.map((id) => [toolName(id), id]),
)

/** All tools, in the order of the operations. Their texts are fixed and contain no stored data. */
export const listTools = (): ToolDefinition[] => toolIds.map(define)

function define(id: OperationId): ToolDefinition {
  const { summary, description, tag, tool }: Operation = operations[id]
  if (!tool) throw new Error(`${id} is no tool`)
  return {
    name: toolName(id),
    title: summary,
    description: [description, tool.advice, `Its answer, field by field: ${topicUri(tag)}.`]
      .filter(Boolean)
      .join(' '),
    inputSchema: inputSchema(operations[id], tool),
    annotations: {
      title: summary,
      readOnlyHint: tool.readOnly,
      destructiveHint: tool.destructive,
      idempotentHint: tool.idempotent,
      openWorldHint: tool.openWorld,
    },
  }
}

/**
 * Joins path, query, headers and body of a call in one object. Other keys are ignored where a body
 * ignores them, and refused elsewhere.
 */
function inputSchema(
  { params, query, headers, body }: Operation,
  { aliases = [] }: Tool,
): JsonSchema {
  const parts = [params, query, headers, ...(body ? [body] : [])].map(plainSchema)
  const properties = parts
    .flatMap((part) => Object.entries(part.properties ?? {}))
    .filter(([name]) => !aliases.includes(name))
  const required = parts.flatMap((part) => part.required ?? [])
  const about = body && plainSchema(body).description
  return {
    type: 'object',
    ...(about !== undefined && { description: about }),
    properties: Object.fromEntries(
      properties.map(([name, schema]) => [argumentName(name), withoutNames(withoutNull(schema))]),
    ),
    ...(required.length > 0 && { required }),
    ...(!body && { additionalProperties: false }),
  }
}

/** `idempotency-key` is the argument `idempotency_key`. */
const argumentName = (name: string): string => name.replaceAll('-', '_')

/** Null counts as absent, so one spelling is enough. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const [only, ...others] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  return only && others.length === 0 ? only : schema
}

/** Names for references have no meaning here: each schema stands alone. */
function withoutNames(schema: JsonSchema): JsonSchema {
  const { anyOf, properties, items, ...rest } = schema
  delete rest.$id
  return {
    ...rest,
    ...(anyOf && { anyOf: anyOf.map(withoutNames) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, withoutNames(inner)]),
      ),
    }),
    ...(items && { items: withoutNames(items) }),
  }
}

/** Lists arguments that the tool does not have: a body ignores them, and the agent should know. */
export function unknownArguments(id: OperationId, args: object): string[] {
  const known = placesByTool.get(id)
  return Object.entries(args).flatMap(([name, value]) =>
    known?.has(name) || value === null ? [] : [name],
  )
}

/** A tool's arguments, sorted by the part of the request that takes them. */
export interface SortedArguments {
  params: Record<string, unknown>
  query: Record<string, unknown>
  headers: Record<string, unknown>
  /** All other arguments: the body, if the operation has one. */
  others: Record<string, unknown>
}

type Part = keyof SortedArguments

/** Computed from the schemas once, which takes milliseconds. */
const placesByTool = new Map(toolIds.map((id) => [id, placesOf(operations[id])]))

/** The places of an operation's arguments, by their names. */
function placesOf({
  params,
  query,
  headers,
  body,
}: Operation): Map<string, { part: Part; name: string }> {
  const namesOf = (part: Part, schema: TSchema = {}) =>
    Object.keys(plainSchema(schema).properties ?? {}).map(
      (name) => [argumentName(name), { part, name }] as const,
    )
  return new Map([
    ...namesOf('others', body),
    ...namesOf('params', params),
    ...namesOf('query', query),
    ...namesOf('headers', headers),
  ])
}

export function sortArguments(id: OperationId, args: object): SortedArguments {
  const places = placesByTool.get(id)
  const placed = Object.entries(args).map(([argument, value]) => {
    const { part, name } = places?.get(argument) ?? { part: 'others', name: argument }
    return { part, entry: [name, value] as const }
  })
  // Built so that a key such as `__proto__` is an ordinary one.
  const of = (part: Part) =>
    Object.fromEntries(placed.filter((item) => item.part === part).map(({ entry }) => entry))
  return { params: of('params'), query: of('query'), headers: of('headers'), others: of('others') }
}
