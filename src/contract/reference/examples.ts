/**
 * Writes each example as a whole program: curl, `facteur/client`, and the `resend` SDK if it has
 * such a call. Tests run every one.
 */
import type { Json } from '../json-schema.ts'
import { operations, type OperationId } from '../operations.ts'
import type { Operation } from '../operation.ts'
import { exampleAddress, exampleCall, type ExampleCall } from './example-call.ts'
import type { ExampleWorld } from './example-world.ts'
import { literal } from './literal.ts'
import { code, folded } from './markdown.ts'

/** Returns an operation's examples for the reference: one open, the others a click away. */
export function examplesOf(id: OperationId, world: ExampleWorld): string {
  const call = exampleCall(id, world)
  const resend = withResend(id, call, world)
  return [
    folded('curl', code('sh', withCurl(id, call, world)), 'open'),
    folded('TypeScript, <code>facteur/client</code>', code('ts', withClient(id, call, world))),
    resend === undefined
      ? 'No call of the `resend` SDK does this.'
      : folded('TypeScript, the <code>resend</code> SDK as it is', code('ts', resend)),
  ].join('\n\n')
}

function withCurl(id: OperationId, call: ExampleCall, world: ExampleWorld): string {
  const { method, scope }: Operation = operations[id]
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(exampleAddress(id, call, world))}`,
    scope !== 'none' && '-H "Authorization: Bearer $FACTEUR_KEY"',
    call.idempotencyKey !== undefined && `-H 'Idempotency-Key: ${call.idempotencyKey}'`,
    call.body !== undefined && "-H 'Content-Type: application/json'",
    call.body !== undefined && `-d ${quoted(shortOrLong(call.body))}`,
  ]
  return lines.filter((line) => typeof line === 'string').join(' \\\n  ')
}

/** Quotes a text for a shell, if needed. */
const quoted = (text: string): string =>
  /^[\w:/.@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

const shortOrLong = (body: Json): string => {
  const line = JSON.stringify(body)
  return line.length <= 90 ? line : JSON.stringify(body, null, 2)
}

/** Where the example programs find the key: in their own environment. */
const keyOfReader = ['process', 'env', 'FACTEUR_KEY'].join('.')

function withClient(
  id: OperationId,
  { params, query, body, idempotencyKey }: ExampleCall,
  { baseUrl }: ExampleWorld,
): string {
  const content = [
    ...params.map((param) => literal(param)),
    ...(body === undefined ? [] : [literal(body)]),
    ...(Object.keys(query).length > 0 ? [literal(query)] : []),
    ...(idempotencyKey === undefined ? [] : [literal({ idempotencyKey })]),
  ]
  return `import { createClient } from 'facteur/client'

const facteur = createClient({ baseUrl: ${literal(baseUrl)}, apiKey: ${keyOfReader} })

const answer = await facteur.${id}(${content.join(', ')})
console.log(answer)`
}

function withResend(
  id: OperationId,
  call: ExampleCall,
  { baseUrl }: ExampleWorld,
): string | undefined {
  const expression = resendCalls[id]?.(call)
  return (
    expression &&
    `import { Resend } from 'resend'

const resend = new Resend(${keyOfReader}, { baseUrl: ${literal(`${baseUrl}/api/v1`)} })

const { data, error } = await resend.${expression}
console.log(error ?? data)`
  )
}

/** The same calls with the SDK. */
const resendCalls: Partial<Record<OperationId, (call: ExampleCall) => string>> = {
  sendEmail: ({ body, idempotencyKey = '' }) =>
    `emails.send(${literal(withTagList(body))}, ${literal({ idempotencyKey })})`,
  sendEmailBatch: ({ body = [], idempotencyKey = '' }) =>
    `batch.send(${literal(body)}, ${literal({ idempotencyKey })})`,
  listEmails: ({ query }) => `emails.list(${literal(query)})`,
  getEmail: ({ params: [id = ''] }) => `emails.get(${literal(id)})`,
  updateEmail: ({ params: [id = ''], body }) =>
    `emails.update({ id: ${literal(id)}, scheduledAt: ${literal(fieldOf(body, 'scheduled_at'))} })`,
  cancelEmail: ({ params: [id = ''] }) => `emails.cancel(${literal(id)})`,
  listWebhooks: () => 'webhooks.list()',
  getWebhook: ({ params: [id = ''] }) => `webhooks.get(${literal(id)})`,
  updateWebhook: ({ params: [id = ''], body }) =>
    `webhooks.update(${literal(id)}, ${literal(body ?? null)})`,
  deleteWebhook: ({ params: [id = ''] }) => `webhooks.remove(${literal(id)})`,
}

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldOf = (body: Json | undefined, name: string): Json =>
  (isObject(body) ? body[name] : undefined) ?? null

/** The SDK accepts tags only as a list. */
function withTagList(body: Json | undefined): Json {
  if (!isObject(body) || !isObject(body['tags'])) return body ?? null
  return { ...body, tags: Object.entries(body['tags']).map(([name, value]) => ({ name, value })) }
}
