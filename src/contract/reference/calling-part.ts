/** The parts of the reference that hold for every call: key, repeats, lists, rates, versions. */
import { limits } from '../limits.ts'
import { allScopes, scopes } from '../scopes.ts'
import { table } from './markdown.ts'

export const authenticationPart = (): string => `## Authentication

A call carries its key in one of two headers, which mean the same: \`Authorization: Bearer <key>\` or \`X-Api-Key: <key>\`. A key belongs to one
workspace; its permissions are fixed when it is made. It is shown once: a lost key is replaced by a new one.

${table(
  ['Permission', 'Unlocks'],
  allScopes.map((scope) => [`\`${scope}\``, scopes[scope]]),
)}`

export const listsPart = (): string => `## Lists

A list answers \`{object: "list", data, has_more, next_cursor}\`, newest first, ${limits.pageDefault} entries a page unless \`limit\` says otherwise (1 to ${limits.pageMax}). While
\`has_more\` is true, ask again with \`?cursor=<next_cursor>\` and the same filters. A cursor is of its workspace and its filters; there are no page numbers.`

export const idempotencyPart = (): string => `## Idempotency

A send takes an \`Idempotency-Key\` (at most ${limits.idempotencyKeyMax} characters, one for each send, kept at least 24 hours). The same call again answers the same
message with \`Idempotent-Replay: true\` and sends nothing more; another content under the same key is refused with \`idempotency_key_reused\`.
Only an accepted message uses the key up: after a refusal the same key may be tried again.`

export const ratesPart = (): string => `## Request rate

${limits.requestsPerMinute} requests of a key pass in any minute, unless the operator has set another number for the workspace. Every answer carries \`X-RateLimit-Limit\`,
\`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (seconds since 1970). A call too many is refused with 429 and \`Retry-After\` in seconds, and is not counted.
Calls without a good key are counted by address.`

export const versioningPart = (): string => `## Versions

The version is in the path: \`/api/v1\`. Codes of errors, names of fields and their types stay; texts for people may be rephrased. What is added are
operations, optional fields of a request and fields of an answer: ignore those that you do not know. Unknown keys of a request are ignored.`
