/** Writes the reference's part for agents: the tools of the MCP endpoint, each an operation. */
import { operations } from '../operations.ts'
import { listTools, operationsByTool } from '../tools.ts'
import { table } from './markdown.ts'
import { placeOf, scopeText } from './operation-part.ts'

export const toolsPart = (baseUrl: string): string => `## Tools for agents

\`${baseUrl}/api/mcp\` speaks the Model Context Protocol over HTTP: each call is one \`POST\` with the key in \`Authorization\`; there is no stream and no session. A tool is
the operation of the same name, with the same permissions, quota and refusals. Its arguments are the operation's path, query, headers (\`idempotency_key\`) and body in one object; its structured result is the body of the answer. This page is the resource \`service://docs\`.

${table(
  ['Tool', 'Operation', 'Permission', 'Changes'],
  listTools().map(({ name, annotations }) => {
    const id = operationsByTool.get(name)
    if (id === undefined) throw new Error(`${name} is no operation's`)
    const { summary, scope } = operations[id]
    const changes = annotations.readOnlyHint
      ? 'nothing'
      : annotations.destructiveHint
        ? 'cannot be taken back'
        : 'adds or updates'
    return [`\`${name}\``, `[${summary}](${placeOf(id)})`, scopeText(scope), changes]
  }),
)}`
