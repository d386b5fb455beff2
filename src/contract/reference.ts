/**
 * Writes the reference for humans and agents in Markdown, derived from the contract: `/docs`,
 * `/llms-full.txt`, `docs/api.md`, `service://docs`.
 */
import { apiVersion } from './openapi.ts'
import { apiOperationIds, operations } from './operations.ts'
import {
  authenticationPart,
  idempotencyPart,
  listsPart,
  ratesPart,
  versioningPart,
} from './reference/calling-part.ts'
import { clientPart } from './reference/client-part.ts'
import { errorsPart } from './reference/errors-part.ts'
import { documentedWorld, type ExampleWorld } from './reference/example-world.ts'
import { guides } from './reference/guides.ts'
import { limitsPart } from './reference/limits-part.ts'
import { table } from './reference/markdown.ts'
import { operationPart, placeOf, scopeText } from './reference/operation-part.ts'
import { toolsPart } from './reference/tools-part.ts'
import { tags } from './tags.ts'

/**
 * Writes the whole page for a service at `baseUrl` (without a slash at the end); the examples use
 * the objects of `world`.
 */
export function reference(baseUrl: string, world: ExampleWorld = documentedWorld(baseUrl)): string {
  return [
    opening(baseUrl),
    contents(),
    authenticationPart(),
    errorsPart(),
    listsPart(),
    idempotencyPart(),
    ratesPart(),
    limitsPart(),
    versioningPart(),
    clientPart(),
    ...Object.entries(tags).map(([tag, about]) => operationsPart(tag, about, world)),
    ...guides(baseUrl).map(({ text }) => text),
    toolsPart(baseUrl),
  ]
    .join('\n\n')
    .concat('\n')
}

const opening = (baseUrl: string): string => `# The API, version ${apiVersion}

Send e-mail on behalf of a workspace. JSON in, JSON out, under \`${baseUrl}/api/v1\`. There is no test environment: every call acts on the
workspace of its key. This page is generated from the contract; the same in OpenAPI 3.1 is at [\`/api/v1/openapi.json\`](${baseUrl}/api/v1/openapi.json),
for agents at [\`/llms.txt\`](${baseUrl}/llms.txt).

The examples are whole programs. They read the key from the environment: \`export FACTEUR_KEY=fct_live_…\`.`

const contents = (): string => {
  const lines = apiOperationIds.map((id) => {
    const { method, path, summary, scope } = operations[id]
    return [`[${summary}](${placeOf(id)})`, `\`${method} ${path}\``, scopeText(scope)]
  })
  return table(['Operation', 'Call', 'Permission'], lines)
}

const operationsPart = (tag: string, about: string, world: ExampleWorld): string =>
  [
    `## ${tag}`,
    about,
    ...apiOperationIds
      .filter((id) => operations[id].tag === tag)
      .map((id) => operationPart(id, world)),
  ].join('\n\n')
