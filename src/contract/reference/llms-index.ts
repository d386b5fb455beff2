/**
 * Writes `/llms.txt`: what an agent should know first, and where to read on (llmstxt.org: title,
 * summary, sections of links).
 */
import { apiOperationIds, operations } from '../operations.ts'
import { tags } from '../tags.ts'
import { guides } from './guides.ts'
import { placeOf } from './operation-part.ts'

export function llmsIndex(baseUrl: string): string {
  return `# Facteur

> Sends e-mail on behalf of a workspace: single messages, and campaigns to its subscribers. JSON over HTTPS under ${baseUrl}/api/v1, with an API key as
> \`Authorization: Bearer\`. The same operations are tools for agents at ${baseUrl}/api/mcp.

There is no test environment: every call acts on the workspace of its key. Sending cannot be taken back; give each send an \`Idempotency-Key\`.
Logic reads \`error.code\` of a refusal, never its text. Lists go by cursor.

## Reference

- [The whole reference](${baseUrl}/llms-full.txt): every operation, field, limit and error, with examples in curl, TypeScript and the resend SDK
- [OpenAPI 3.1](${baseUrl}/api/v1/openapi.json): the same for programs
- [Map of the API](${baseUrl}/api/v1): what there is, without a key

## Guides

${guides(baseUrl)
  .map(({ file, title, summary }) => `- [${title}](${baseUrl}/docs/${file}): ${summary}`)
  .join('\n')}

${Object.keys(tags)
  .map((tag) => operationsOf(tag, baseUrl))
  .filter((text) => text !== '')
  .join('\n\n')}
`
}

function operationsOf(tag: string, baseUrl: string): string {
  const listed = apiOperationIds.filter((id) => operations[id].tag === tag)
  if (listed.length === 0) return ''
  const lines = listed.map((id) => {
    const { summary, method, path } = operations[id]
    return `- [${summary}](${baseUrl}/docs/api.md${placeOf(id)}): \`${method} ${path}\``
  })
  return `## ${tag}\n\n${lines.join('\n')}`
}
