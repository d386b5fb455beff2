/**
 * Writes the generated part of the client: `client/src/schemas.ts` and `client/src/operations.ts`.
 */
import { apiErrorKinds } from './errors.ts'
import { eventBody, eventTypes } from './events.ts'
import { plainSchema, type JsonSchema } from './json-schema.ts'
import { apiOperationIds, operations, type OperationId } from './operations.ts'
import type { Operation } from './operation.ts'
import { Declarations, comment } from './schema-types.ts'

/**
 * Returns the two files by path. The types are written out, so that the client needs no schema
 * library.
 */
export function clientSource(): Record<string, string> {
  const declarations = new Declarations()
  const methods = apiOperationIds.map((id) => method(id, operations[id], declarations))
  declarations.declare('ErrorCode', {
    description: 'The codes of all refusals.',
    enum: Object.keys(apiErrorKinds),
  })
  declarations.declare('WebhookEvent', {
    description:
      "The event of a webhook call: `type` determines the fields of `data`. Only a test has `'test' in event.data`.",
    anyOf: eventTypes.map((type) => plainSchema(eventBody(type))),
  })
  const used = [...declarations.toString().matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    ([, name = '']) => name,
  )
  const body = methods.map(({ signature }) => signature).join('\n')
  const imported = used
    .filter((name) => new RegExp(`\\b${name}\\b`).test(body))
    .map((name) => `  ${name},\n`)
  return {
    'client/src/schemas.ts': `/** The types of requests and answers. Written by \`npm run docs\` from the contract. */\n\n${declarations.toString()}`,
    'client/src/operations.ts': [
      '/** The operations and how each is called. Written by `npm run docs` from the contract. */',
      "import type { CallOptions, SendOptions } from './call.ts'",
      "import type { Route } from './route.ts'",
      `import type {\n${imported.join('')}} from './schemas.ts'\n`,
      `/** One method for each operation. */\nexport interface Client {\n${body}}\n`,
      `export const routes: { readonly [Name in keyof Client]: Route } = {\n${methods.map(({ route }) => route).join('')}}\n`,
    ].join('\n'),
  }
}

function method(
  id: OperationId,
  operation: Operation,
  declarations: Declarations,
): { signature: string; route: string } {
  const { path, answer, summary, description, scope } = operation
  const query = plainSchema(operation.query)
  const keyed = 'idempotency-key' in operation.headers.properties
  const gives = operation.body
    ? 'body'
    : Object.keys(query.properties ?? {}).length > 0
      ? 'query'
      : null
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => `${name}: string`)
  if (operation.body)
    parameters.push(`body: ${typeOfBody(id, plainSchema(operation.body), declarations)}`)
  if (gives === 'query') {
    declarations.declare(`${nameOf(id)}Query`, query)
    parameters.push(`query?: ${nameOf(id)}Query`)
  }
  parameters.push(`options?: ${keyed ? 'SendOptions' : 'CallOptions'}`)
  const permission =
    scope === 'none' ? 'No key needed' : scope === null ? 'Any key' : `Permission \`${scope}\``
  const doc = comment(
    `${summary}. ${description} ${permission}; \`${operation.method} ${path}\`.`,
    '  ',
  )
  return {
    signature: `${doc}  ${id}: (${parameters.join(', ')}) => Promise<${declarations.typeOf(plainSchema(answer.schema))}>\n`,
    route: `  ${id}: { method: '${operation.method}', path: '${path}', gives: ${gives ? `'${gives}'` : 'null'}, keyed: ${keyed} },\n`,
  }
}

function typeOfBody(id: OperationId, schema: JsonSchema, declarations: Declarations): string {
  if (schema.$id !== undefined || schema.items?.$id !== undefined)
    return declarations.typeOf(schema)
  declarations.declare(`${nameOf(id)}Request`, schema)
  return `${nameOf(id)}Request`
}

const nameOf = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1)
