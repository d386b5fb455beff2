/** How each operation is called: curl, our client, and for messages the `resend` SDK. */
import { exampleOf, plainSchema } from './json-schema.ts'
import type { Json } from './json-schema.ts'
import { operations } from './operations.ts'
import type { Operation, OperationId } from './operations.ts'

/** The examples of an operation, one code block each. */
export function examplesOf(id: OperationId, baseUrl: string): string {
  const blocks = [block('sh', curl(operations[id], baseUrl)), block('ts', withClient(id, operations[id], baseUrl))]
  const resend = withResend[id]
  if (resend) blocks.push(block('ts', `// the resend SDK, unchanged: RESEND_BASE_URL=${baseUrl}/api/v1\n${resend}`))
  return blocks.join('\n\n')
}

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

function curl({ method, path, scope, params, body }: Operation, baseUrl: string): string {
  const address = baseUrl + fill(path, exampleFields(params))
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${address}`,
    scope !== 'none' && '-H "Authorization: Bearer $FACTEUR_KEY"',
    body && "-H 'Content-Type: application/json'",
    body && `-d '${JSON.stringify(exampleOf(plainSchema(body))).replaceAll("'", String.raw`'\''`)}'`,
  ]
  return lines.filter((line) => typeof line === 'string').join(' \\\n  ')
}

/** The path with its parameters put in. */
const fill = (path: string, values: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))

function withClient(id: OperationId, { params, body }: Operation, baseUrl: string): string {
  const given = {
    ...(Object.keys(params.properties).length > 0 && { params: exampleFields(params) }),
    ...(body && { body: exampleOf(plainSchema(body)) }),
  }
  const input = Object.keys(given).length > 0 ? literal(given) : ''
  const call = `const { body } = await facteur.${id}(${input})`
  return id === 'sendEmail' ? `${clientOpening(baseUrl)}\n${call}` : call
}

const clientOpening = (baseUrl: string): string =>
  `import { createClient } from './src/contract/client.ts'\n\n` +
  `const facteur = createClient({ baseUrl: '${baseUrl}', apiKey: key })`

/** The value as a person would write it in TypeScript. */
const literal = (value: Json): string =>
  JSON.stringify(value, null, 2)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(/"([^"'\\]*)"/g, "'$1'")

const exampleFields = (params: Operation['params']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(plainSchema(params).properties ?? {}).map(([name, schema]) => [name, textOf(exampleOf(schema))]),
  )

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The same call through the SDK; what it has no word for is left out. */
const withResend: Partial<Record<OperationId, string>> = {
  sendEmail: `import { Resend } from 'resend'

const resend = new Resend(key)
const { data, error } = await resend.emails.send(
  { from: 'Boutique <hello@demo.test>', to: 'camille@example.com', subject: 'Bonjour', html: '<p>Bonjour Camille</p>' },
  { idempotencyKey: 'order-1042' },
)`,
  sendEmailBatch: `const { data, error } = await resend.batch.send([
  { from: 'hello@demo.test', to: 'camille@example.com', subject: 'Bonjour', text: 'Bonjour Camille' },
  { from: 'hello@demo.test', to: 'ines@example.com', subject: 'Bonjour', text: 'Bonjour Inès' },
])`,
  listEmails: 'const { data, error } = await resend.emails.list({ limit: 10 })',
  getEmail: 'const { data, error } = await resend.emails.get(id)',
  updateEmail: "const { data, error } = await resend.emails.update({ id, scheduledAt: '2026-12-24T08:00:00Z' })",
  cancelEmail: 'const { data, error } = await resend.emails.cancel(id)',
}
