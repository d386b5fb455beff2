/**
 * Defines the log of calls: what programs asked of the API and of MCP with the keys of a workspace,
 * and what came of it.
 */
import { BoundedCount, countedEntriesMax } from '../counted.ts'
import { apiErrorKinds, type ApiErrorCode } from '../errors.ts'
import { limits } from '../limits.ts'
import { ofMembers, operationsOf } from '../operations-of.ts'
import {
  DateTime,
  PageQuery,
  Text,
  Type,
  listOf,
  named,
  nullable,
  oneOf,
  type Static,
} from '../schema.ts'
import { knownId, timeText } from '../text-rules.ts'

/** By the status: up to 399, from 400 on, from 500 on. */
export const requestOutcomes = ['succeeded', 'refused', 'failed'] as const
export type RequestOutcome = (typeof requestOutcomes)[number]

// The keys of the table are its codes.
export const requestCodes = Object.keys(apiErrorKinds) as ApiErrorCode[]

export const RequestEntry = named('RequestEntry', {
  object: Type.Literal('request'),
  id: Type.String({ format: 'uuid' }),
  at: DateTime,
  operation: Text.orNull({
    description: 'Null: no operation has the address, or a message of MCP that calls no tool.',
    examples: ['sendEmail'],
  }),
  mcp: Type.Boolean({ description: 'Whether it came by MCP.' }),
  status: Type.Integer({
    description:
      '499: the caller left before its request was whole. 400 also where MCP refuses a message with an error of JSON-RPC.',
    examples: [202],
  }),
  code: nullable(Type.String({ description: 'The code of the refusal.' }), { examples: [null] }),
  duration_ms: Type.Number({ minimum: 0, description: 'Until the answer was ready.' }),
  request_id: Type.String({ description: 'The `X-Request-Id` of the answer.' }),
  address: Type.String({ description: 'Where it came from.' }),
  key: Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() }),
  message_ids: Type.Array(Type.String(), {
    description: 'The messages that it made, or those of the call that it repeated.',
  }),
  campaign_id: Text.orNull({ description: 'The campaign that it created or sent.' }),
  calls: Type.Integer({
    minimum: 1,
    description:
      'How many calls of this key, operation and code it stands for: of many successes some are stored for all, and of 401, 403 and 429 beyond 600 a minute.',
  }),
})
export type RequestEntry = Static<typeof RequestEntry>

const RequestQuery = Type.Object({
  ...PageQuery.properties,
  id: Text.optional({ format: 'uuid', description: 'This call alone.' }),
  after: Text.optional({
    maxLength: 100,
    ...knownId,
    description: 'Entries older than this id, in place of a cursor.',
  }),
  status: Type.Optional(
    oneOf(requestOutcomes, { description: 'Statuses below 400, from 400 on, or from 500 on.' }),
  ),
  code: Type.Optional(oneOf(requestCodes, { description: 'The code of the refusal.' })),
  operation: Text.optional({
    maxLength: 100,
    description: 'Name of the operation, such as `sendEmail`.',
  }),
  key: Text.optional({ format: 'uuid', description: 'Identifier of the key.' }),
  request_id: Text.optional({ maxLength: 100, description: 'The `X-Request-Id` of the answer.' }),
  message: Text.optional({ format: 'uuid', description: 'Identifier of a message that it made.' }),
  campaign: Text.optional({
    format: 'uuid',
    description: 'Identifier of the campaign that it created or sent.',
  }),
  from: Text.optional({ ...timeText, description: 'Calls from then on.' }),
  to: Text.optional({ ...timeText, description: 'Calls before then.' }),
})

/** What users give: the table of the pages searches by it. */
const RequestSearch = Type.Object({
  ...RequestQuery.properties,
  q: Text.optional({
    maxLength: limits.searchMax,
    description:
      'Part of the name of the operation, of its address or of the name of the key, or the whole `X-Request-Id`; case does not matter.',
  }),
})

const {
  limit: _limit,
  cursor: _cursor,
  after: _after,
  status: _status,
  ...counted
} = RequestSearch.properties

const requests = operationsOf({
  ...{ entry: 'api', tag: 'Workspace', scope: 'logs:read', role: 'owner' },
})

export const requestOperations = {
  listRequests: requests.get('/api/v1/requests', listOf(RequestEntry, 'RequestList'), {
    query: RequestQuery,
    members: { query: RequestSearch },
    summary: 'List the calls of the API',
    description:
      'The calls of the last days with a key of the workspace, newest first: of the API and of MCP, without their content. ' +
      'Rare matches among very many calls take several pages.',
  }),
}

/** The table of the pages asks for it. */
export const requestCountOperations = {
  countRequestLog: operationsOf({ ...ofMembers, tag: 'Workspace', role: 'owner' }).get(
    '/api/v1/requests/count',
    Type.Object({
      object: Type.Literal('request_count'),
      ...BoundedCount.properties,
      statuses: Type.Object({
        succeeded: BoundedCount,
        refused: BoundedCount,
        failed: BoundedCount,
      }),
    }),
    {
      query: Type.Object(counted),
      summary: 'Count the calls of the API by result',
      description: `Entries of the log, each result among its newest ${countedEntriesMax.toLocaleString('en-US')}.`,
    },
  ),
}
