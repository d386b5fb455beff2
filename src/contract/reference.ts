/** The reference for people, in Markdown, derived whole from the contract: `docs/api.md`, `/docs`, `service://docs`. */
import { errorKinds } from './errors.ts'
import { fieldTable } from './reference-fields.ts'
import { examplesOf } from './reference-examples.ts'
import { exampleOf, plainSchema } from './json-schema.ts'
import type { Json } from './json-schema.ts'
import { limits } from './limits.ts'
import { apiVersion, headerName } from './openapi.ts'
import { detailsFields, errorExample } from './operation-errors.ts'
import { operationIds, operations } from './operations.ts'
import type { Operation, OperationId } from './operations.ts'
import { allScopes, scopes } from './scopes.ts'
import { tags } from './tags.ts'

/** The whole page for a service reached at `baseUrl` (without a slash at the end). */
export function reference(baseUrl: string): string {
  return [
    opening(baseUrl),
    contents(),
    authentication(),
    errorTable(),
    lists(),
    idempotency(),
    limitsTable(),
    ...Object.entries(tags).map(([tag, about]) => part(tag, about, baseUrl)),
  ]
    .join('\n\n')
    .concat('\n')
}

const apiIds = operationIds.filter((id) => operations[id].door === 'api')

const opening = (baseUrl: string): string => `# The API, version ${apiVersion}

Send e-mail on behalf of a workspace. JSON in, JSON out, under \`${baseUrl}/api/v1\`. There is no test environment: every call acts on the
workspace of its key. This page is generated from the contract (\`npm run docs\`); the same in OpenAPI 3.1 is at
[\`/api/v1/openapi.json\`](${baseUrl}/api/v1/openapi.json).

A first message, three ways:

${examplesOf('sendEmail', baseUrl)}`

const contents = (): string => {
  const lines = apiIds.map((id) => {
    const { method, path, summary, scope } = operations[id]
    return [`[${summary}](#${anchor(summary)})`, `\`${method} ${path}\``, scopeText(scope)]
  })
  return table(['Operation', 'Call', 'Permission'], lines)
}

const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(' ', '-')
    .replace(/[^a-z0-9-]/g, '')

const scopeText = (scope: Operation['scope']): string => {
  if (scope === 'none') return 'no key needed'
  return scope === null ? 'any key' : `\`${scope}\``
}

const authentication = (): string => `## Authentication

A call carries its key in one of two headers, which mean the same: \`Authorization: Bearer <key>\` or \`X-Api-Key: <key>\`. A key belongs to one
workspace, is shown once when it is made, and its permissions never change.

${table(
  ['Permission', 'Unlocks'],
  allScopes.map((scope) => [`\`${scope}\``, scopes[scope]]),
)}`

const errorTable = (): string => `## Errors

Every error has one shape, readable two ways. Logic reads \`error.code\` (or \`name\`), never the text: it may be rephrased, and comes in French
unless the call says \`Accept-Language: en\`. \`details\` holds what is needed to mend the problem. Quote \`X-Request-Id\` when you ask for help.
Any call can meet 401 (but the map of the API, which needs no key), 429 and 500; the others stand with each operation.

${json(errorExample('validation_error'))}

${table(
  ['Code', 'Status', 'Meaning', 'In `details`'],
  Object.entries(errorKinds).map(([code, { status, en }]) => [
    `\`${code}\``,
    String(status),
    en,
    named(detailsFields[code] ?? []),
  ]),
)}`

const named = (fields: string[]): string => fields.map((field) => `\`${field}\``).join(', ')

const lists = (): string => `## Lists

A list answers \`{object: "list", data, has_more, next_cursor}\`, newest first, ${limits.pageDefault} entries a page unless \`limit\` says otherwise (1 to ${limits.pageMax}). While
\`has_more\` is true, ask again with \`?cursor=<next_cursor>\` and the same filters.`

const idempotency = (): string => `## Idempotency

A send takes an \`Idempotency-Key\` (at most ${limits.idempotencyKeyMax} characters, one for each send, kept at least 24 hours). The same call again answers the same
message with \`Idempotent-Replay: true\` and sends nothing more; another content under the same key is refused with \`idempotency_key_reused\`.
Only an accepted message uses the key up: after a refusal the same key may be tried again.`

const limitTexts: Record<keyof typeof limits, string> = {
  requestsPerMinute: 'Requests of a key in any minute; see the `X-RateLimit-*` headers, on every answer, and `Retry-After`',
  recipientsPerMessage: 'Recipients of a message, in `to`, `cc` and `bcc` together',
  addressMin: 'Characters of an address, at least',
  addressMax: 'Characters of an address with its name, at most',
  replyToMax: 'Entries in `replyTo`',
  subjectMax: 'Characters of a subject',
  bodyMax: 'Characters of `html` and of `text`, each',
  tagsMax: 'Tags in the array form',
  tagValueMax: 'Characters of a tag value; longer ones are cut',
  idempotencyKeyMax: 'Characters of an `Idempotency-Key`',
  pageDefault: 'Entries of a page, when not said',
  pageMax: 'Entries of a page',
  batchMax: 'Messages in a batch',
  attachmentBytesMax: 'Octets of all attachments of a message, decoded',
  attachmentsMax: 'Attachments of a message',
  emailBodyBytes: 'Octets of the body of a send',
  emailTextBytes: 'Octets of `html`, `text`, headers and tags of all messages of a call',
  otherBodyBytes: 'Octets of a body elsewhere',
  jsonDepthMax: 'Levels of nesting in a body',
  jsonValuesMax: 'Values in a body, the octets of files aside',
  subscriberNameMax: "Characters of a subscriber's first and of their last name",
  subscriberTagsMax: 'Tags given to a subscriber by a call',
  subscriberTagMax: "Characters of a subscriber's tag",
  fieldValueMax: "Characters of a custom field's value",
  fieldsMax: 'Custom fields of a workspace',
  searchMax: 'Characters of what subscribers are searched by',
  campaignNameMax: "Characters of a campaign's name",
  preheaderMax: "Characters of a campaign's preheader",
  blocksMax: "Blocks of a campaign's content",
  campaignBodyBytes: 'Octets of the body of a campaign',
  scheduleDaysMax: 'Days ahead that a message can be scheduled',
}

const limitsTable = (): string => {
  const rows = Object.entries(limitTexts).map(([name, text]) => [text, numberOf(name)])
  return `## Limits\n\nLengths count Unicode code points.\n\n${table(['Limit', 'Number'], rows)}`
}

const numbers: Record<string, number> = limits
const numberOf = (name: string): string => (numbers[name] ?? 0).toLocaleString('en-US')

const part = (tag: string, about: string, baseUrl: string): string =>
  [
    `## ${tag}`,
    about,
    ...apiIds.filter((id) => operations[id].tag === tag).map((id) => operationText(id, operations[id], baseUrl)),
  ].join('\n\n')

function operationText(id: OperationId, operation: Operation, baseUrl: string): string {
  const { method, path, scope, summary, description, params, query, headers, body, answer } = operation
  const shown = Object.entries(plainSchema(headers).properties ?? {}).map(([name, schema]) => [headerName(name), schema] as const)
  return [
    `### ${summary}`,
    `\`${method} ${path}\` · ${scopeText(scope)} · \`${id}\``,
    description,
    titled('Path', fieldTable(plainSchema(params))),
    titled('Query', fieldTable(plainSchema(query))),
    titled('Headers', fieldTable({ ...plainSchema(headers), properties: Object.fromEntries(shown) })),
    body && titled('Body', fieldTable(plainSchema(body))),
    id === 'sendEmail' ? undefined : examplesOf(id, baseUrl),
    `**Answer: ${answer.status}**${answer.elseStatus ? ` or ${answer.elseStatus}` : ''}${headersText(answer.headers)}`,
    json(exampleOf(plainSchema(answer.schema))),
    folded('Fields of the answer', fieldTable(plainSchema(answer.schema))),
    refusalsText(operation),
  ]
    .filter((text) => text !== undefined)
    .join('\n\n')
}

/** What this operation adds to the refusals of every call. */
function refusalsText({ errors }: Operation): string | undefined {
  if (errors.length === 0) return undefined
  const sorted = errors.toSorted((a, b) => errorKinds[a].status - errorKinds[b].status)
  return `**Refusals:** ${sorted.map((code) => `${errorKinds[code].status} \`${code}\``).join(', ')}.`
}

const titled = (title: string, text: string | undefined): string | undefined => text && `**${title}**\n\n${text}`

const folded = (title: string, text: string | undefined): string | undefined =>
  text && `<details><summary>${title}</summary>\n\n${text}\n\n</details>`

const headersText = (headers: Record<string, string> = {}): string =>
  Object.entries(headers)
    .map(([name, text]) => `, with \`${name}\`: ${text}`)
    .join('')

const json = (value: Json): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

/** A Markdown table. */
function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
