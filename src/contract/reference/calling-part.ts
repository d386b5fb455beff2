/** Writes the reference's parts that concern every call: key, retries, lists, rates, versions. */
import { limits, rateWindowSeconds } from '../limits.ts'
import { allScopes, scopes } from '../scopes.ts'
import { table } from './markdown.ts'

export const authenticationPart = (): string => `## Authentication

A call carries its key in one of two headers, which mean the same: \`Authorization: Bearer <key>\` or \`X-Api-Key: <key>\`. A key belongs to one
workspace; its permissions are fixed when it is made. It is shown once: a lost key is replaced by a new one. A 401 or a 403 says by \`WWW-Authenticate: Bearer\`
what is missing (RFC 6750): a key, a good one, or the permission in its \`scope\`. A key that expired is refused with \`revoked_api_key\`, \`details.reason: expired\` and the date.

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
Only an accepted message uses the key up: after a refusal the same key may be tried again. \`POST /subscribers/batch\` and
\`POST /subscribers/imports\` take one too: the same call again answers the same batch or the same import, and changes nothing more.`

export const ratesPart = (): string => `## Request rate

${limits.requestsPerMinute} requests of a key pass in any minute, unless the operator has set another number for the workspace. Every answer carries \`X-RateLimit-Limit\`,
\`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (seconds since 1970). \`ratelimit-limit\`, \`ratelimit-remaining\` and \`ratelimit-reset\` say the same to SDKs that
read those (the last one in seconds from now), and so do \`RateLimit-Policy: "minute";q=${limits.requestsPerMinute};w=${rateWindowSeconds}\` and \`RateLimit: "minute";r=…;t=…\` of
[draft-ietf-httpapi-ratelimit-headers-11](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/). A call too many is refused with 429 and \`Retry-After\` in seconds,
never more than ${rateWindowSeconds}, and is not counted. Requests are counted by whole seconds, so a call that comes right after that delay may be asked to wait another second.
Calls without a good key are counted by address, of IPv6 by its /64.`

export const versioningPart = (): string => `## Versions

The version is in the path: \`/api/v1\`. Codes of errors, names of fields and their types stay; texts for human readers may be rephrased. New versions add
operations, optional fields of a request and fields of an answer: ignore those that you do not know. Unknown keys of a request are ignored, and
\`null\` is as good as absent.`
