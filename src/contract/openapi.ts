/**
 * Writes the OpenAPI 3.1 description of the API, derived from the table of operations (spec:
 * Versioning).
 */
import { errorKinds, type ErrorCode } from './errors.ts'
import { eventBody, eventKinds, eventTypes, type EventType } from './events.ts'
import { exampleOf, plainSchema, requestSchema, type Json, type JsonSchema } from './json-schema.ts'
import { callErrors, errorExample, errorsOf, keyErrors } from './operation-errors.ts'
import { apiOperationIds, operations, type OperationId } from './operations.ts'
import type { Operation } from './operation.ts'
import { ErrorSchema, type TObject } from './schema.ts'
import { allScopes, scopes } from './scopes.ts'
import { tags } from './tags.ts'

type Members = Record<string, Json>

/** Named components: written once, on first use, and referenced everywhere. */
interface Components {
  schemas: Members
  examples: Members
}

/** The version in the description; the path prefix has the major version (spec: Versioning). */
export const apiVersion = '1.0.0'

/** The description for a service reached at `baseUrl` (without a slash at the end). */
export function openApi(baseUrl: string): { [key: string]: Json } {
  const components: Components = { schemas: {}, examples: {} }
  const paths: Record<string, { [key: string]: Json }> = {}
  for (const id of apiOperationIds) {
    const operation: Operation = operations[id]
    const path = (paths[operation.path] ??= {})
    path[operation.method.toLowerCase()] = describe(id, operation, components)
  }
  const webhooks = Object.fromEntries(
    eventTypes.map((type) => [type, describeEvent(type, components)]),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Facteur',
      version: apiVersion,
      summary: 'E-mail on behalf of a workspace.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    webhooks,
    components: {
      securitySchemes,
      headers: { ...sharedHeaders },
      responses: sharedRefusals(components),
      ...components,
    },
  }
}

const introduction =
  'Every call but the map of the API carries a key, in either header. Every error has one shape and two readings; logic reads ' +
  '`error.code` (or `name`), never the text. Permissions of a key: ' +
  allScopes.map((scope) => `\`${scope}\` (${scopes[scope].replace(/\.$/, '')})`).join('; ') +
  '.'

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The API key after `Bearer`.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'The API key alone.' },
}

const integer = { type: 'integer', minimum: 0 }

/** Headers of every answer, refusals included, and `Retry-After`. */
const sharedHeaders = {
  'X-Request-Id': {
    required: true,
    schema: { type: 'string' },
    description: 'Names this call in our logs; quote it when you ask for help.',
  },
  'X-RateLimit-Limit': {
    required: true,
    schema: integer,
    description: 'Requests a minute that pass.',
  },
  'X-RateLimit-Remaining': {
    required: true,
    schema: integer,
    description: 'Requests left in this minute.',
  },
  'X-RateLimit-Reset': {
    required: true,
    schema: integer,
    description: 'When the count is whole again, in seconds since 1970.',
  },
  'Retry-After': { schema: integer, description: 'Seconds after which the same call may pass.' },
}

function describe(id: OperationId, operation: Operation, components: Components): Json {
  const { answer, body, scope } = operation
  const parameters = parametersOf(operation, components)
  const required =
    scope === 'none' ? [] : [{ bearer: scope ? [scope] : [] }, { apiKey: scope ? [scope] : [] }]
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    security: required,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: jsonContent(
          requestSchema(body, { rewritten: operation.rewritten ?? [], isBody: true }),
          components,
        ),
      },
    }),
    responses: {
      ...Object.fromEntries(
        [answer.status, ...(answer.elseStatus ? [answer.elseStatus] : [])].map((status) => [
          status,
          {
            description: statusTexts[status],
            headers: { ...everyHeader, ...answerHeaders(answer.headers) },
            content: jsonContent(plainSchema(answer.schema), components),
          },
        ]),
      ),
      ...refusals(operation, components),
    },
  }
}

/** Our calls to webhooks: one entry for each event type. */
function describeEvent(type: EventType, components: Components): Json {
  return {
    post: {
      operationId:
        type.replace(/[._]([a-z])/g, (_, letter: string) => letter.toUpperCase()) + 'Event',
      tags: ['Webhooks'],
      summary: eventKinds[type].summary,
      description:
        'Signed by the headers below; the same event may come twice, with the same `id`.',
      security: [],
      parameters: Object.entries(signatureHeaders).map(([name, description]) => ({
        ...{ name, in: 'header', required: true, description, schema: { type: 'string' } },
      })),
      requestBody: {
        required: true,
        content: jsonContent(plainSchema(eventBody(type)), components),
      },
      responses: {
        '2XX': { description: 'Received: answer within 15 seconds.' },
        default: {
          description: 'Anything else is a failure: sent again after 30 s, 2 min, 10 min and 1 h.',
        },
      },
    },
  }
}

const signatureHeaders = {
  'Service-Signature':
    '`t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>`, keyed with the secret. Refuse a `t` older than 300 s.',
  'webhook-id': 'The `id` of the event (Standard Webhooks).',
  'webhook-timestamp': 'The same seconds as `t`.',
  'webhook-signature':
    '`v1,<base64>`: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with what follows `whsec_`, decoded.',
  'svix-id': 'The same as `webhook-id`.',
  'svix-timestamp': 'The same as `webhook-timestamp`.',
  'svix-signature': 'The same as `webhook-signature`.',
}

const statusTexts = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.' } as const

function parametersOf({ params, query, headers }: Operation, components: Components): Json[] {
  const places = { path: params, query, header: headers }
  return Object.entries(places).flatMap(([location, object]: [string, TObject]) => {
    const { properties = {}, required = [] } = requestSchema(object)
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name: location === 'header' ? headerName(name) : name,
      in: location,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: hoist(schema, components),
    }))
  })
}

/** Writes a header's name in its usual case; headers are matched in lower case. */
export const headerName = (name: string): string =>
  name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

const jsonContent = (schema: JsonSchema, components: Components): Json => ({
  'application/json': { schema: hoist(schema, components), example: exampleOf(schema) },
})

/** Moves each schema with an `$id` to the components and leaves a reference in its place. */
function hoist(schema: JsonSchema, components: Components): Json {
  const { $id, properties, anyOf, items, additionalProperties, propertyNames, ...flat } = schema
  const whole: Json = { ...flat }
  if (propertyNames) whole['propertyNames'] = hoist(propertyNames, components)
  if (properties) whole['properties'] = mapValues(properties, (inner) => hoist(inner, components))
  if (anyOf) whole['anyOf'] = anyOf.map((inner) => hoist(inner, components))
  if (items) whole['items'] = hoist(items, components)
  if (typeof additionalProperties === 'object')
    whole['additionalProperties'] = hoist(additionalProperties, components)
  else if (additionalProperties !== undefined) whole['additionalProperties'] = additionalProperties
  if ($id === undefined) return whole
  components.schemas[$id] ??= whole
  return { $ref: `#/components/schemas/${$id}` }
}

const mapValues = <From, To>(
  record: Record<string, From>,
  change: (value: From, name: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))

const everyHeader = Object.fromEntries(
  Object.keys(sharedHeaders)
    .filter((name) => name !== 'Retry-After')
    .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
)
const retryHeader = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }

const answerHeaders = (headers: Record<string, string> = {}): Members =>
  mapValues(headers, (description) => ({ description, schema: { type: 'string' } }))

/** An operation's refusals by status; those of every call are shared. */
function refusals(operation: Operation, components: Components): Members {
  const byStatus = Map.groupBy(errorsOf(operation), (code) => errorKinds[code].status)
  return {
    ...Object.fromEntries(
      [...byStatus].map(([status, codes]) => [
        status,
        sharedRefusal(codes) ?? refusal(codes, components),
      ]),
    ),
    503: { $ref: '#/components/responses/Unavailable' },
  }
}

/** Refusals that are the same on every operation: name in the components, codes. */
const shared: [name: string, codes: readonly ErrorCode[]][] = [
  ['Unauthorized', keyErrors],
  ...callErrors.map((code): [string, ErrorCode[]] => [
    code.replace(/(^|_)([a-z])/g, (_, __, c: string) => c.toUpperCase()),
    [code],
  ]),
]

const sharedRefusals = (components: Components): Members => ({
  ...Object.fromEntries(shared.map(([name, codes]) => [name, refusal(codes, components)])),
  Unavailable: refusal(['internal_error'], components, unavailable),
})

function sharedRefusal(codes: readonly ErrorCode[]): Json | undefined {
  const match = shared.find(([, known]) => known.join() === codes.join())
  return match && { $ref: `#/components/responses/${match[0]}` }
}

const unavailable =
  '`internal_error`: The service takes nothing in for a moment: its database is away, or it is being moved. Call again after `Retry-After`, with the same `Idempotency-Key` if there was one.'

/** One answer for all codes of a status; the schema accepts no other code. */
function refusal(codes: readonly ErrorCode[], components: Components, description?: string): Json {
  for (const code of codes) {
    components.examples[code] ??= { summary: errorKinds[code].en, value: errorExample(code) }
  }
  const narrowed = { type: 'object', properties: { name: { enum: [...codes] } } }
  return {
    description:
      description ?? codes.map((code) => `\`${code}\`: ${errorKinds[code].en}`).join('\n\n'),
    headers: {
      ...everyHeader,
      ...(codes.some((code) => callErrors.some((known) => known === code)) && retryHeader),
    },
    content: {
      'application/json': {
        schema: { allOf: [hoist(plainSchema(ErrorSchema), components), narrowed] },
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  }
}
