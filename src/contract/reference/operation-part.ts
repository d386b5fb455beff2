/** Writes the reference's part on one operation: its input, examples, answer and refusals. */
import { errorKinds } from '../errors.ts'
import { exampleOf, plainSchema } from '../json-schema.ts'
import { headerName } from '../openapi.ts'
import { operations, type OperationId } from '../operations.ts'
import type { Operation } from '../operation.ts'
import type { ExampleWorld } from './example-world.ts'
import { examplesOf } from './examples.ts'
import { fieldTable } from './fields.ts'
import { anchor, folded, json, titled } from './markdown.ts'

export function operationPart(id: OperationId, world: ExampleWorld): string {
  const {
    method,
    path,
    scope,
    summary,
    description,
    params,
    query,
    headers,
    body,
    answer,
  }: Operation = operations[id]
  const shown = Object.entries(plainSchema(headers).properties ?? {}).map(
    ([name, schema]) => [headerName(name), schema] as const,
  )
  const fields = fieldTable(plainSchema(answer.schema))
  return [
    `### ${summary}`,
    `\`${method} ${path}\` · ${scopeText(scope)} · \`${id}\``,
    description,
    titled('Path', fieldTable(plainSchema(params))),
    titled('Query', fieldTable(plainSchema(query))),
    titled(
      'Headers',
      fieldTable({ ...plainSchema(headers), properties: Object.fromEntries(shown) }),
    ),
    body && titled('Body', bodyText(plainSchema(body))),
    examplesOf(id, world),
    `**Answer: ${answer.status}**${answer.elseStatus ? ` or ${answer.elseStatus}` : ''}${headersText(answer.headers)}`,
    json(exampleOf(plainSchema(answer.schema))),
    fields && folded('Fields of the answer', fields),
    refusalsText(operations[id]),
  ]
    .filter((text) => text !== undefined)
    .join('\n\n')
}

/** The anchor of an operation on the page. */
export const placeOf = (id: OperationId): string => `#${anchor(operations[id].summary)}`

export const scopeText = (scope: Operation['scope']): string => {
  if (scope === 'none') return 'no key needed'
  return scope === null ? 'any key' : `\`${scope}\``
}

const bodyText = (schema: ReturnType<typeof plainSchema>): string | undefined => {
  const fields = fieldTable(schema)
  return schema.description === undefined ? fields : `${schema.description}\n\n${fields ?? ''}`
}

const headersText = (headers: Record<string, string> = {}): string =>
  Object.entries(headers)
    .map(([name, text]) => `, with \`${name}\`: ${text}`)
    .join('')

/** The refusals of this operation beyond those of every call. */
function refusalsText({ errors }: Operation): string | undefined {
  if (errors.length === 0) return undefined
  const sorted = errors.toSorted((a, b) => errorKinds[a].status - errorKinds[b].status)
  return `**Refusals:** ${sorted.map((code) => `${errorKinds[code].status} \`${code}\``).join(', ')}.`
}
