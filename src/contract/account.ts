/** What a key may know about its workspace, and the map of the API (spec: Account, API map; semantics 4). */
import Type from 'typebox'
import { DateTime, nullable, oneOf } from './schema.ts'
import type { Static } from './schema.ts'

export const Account = Type.Object(
  {
    object: Type.Literal('account'),
    workspace: Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String() }),
    key: Type.Object({ id: Type.String(), name: Type.String(), prefix: Type.String() }),
    scopes: Type.Array(Type.String()),
    permissions: Type.Array(Type.String(), { description: 'The same as `scopes`.' }),
    plan: Type.Object({ name: Type.String(), monthly_quota: nullable(Type.Integer()) }),
    quota: Type.Object({
      limit: nullable(Type.Integer()),
      used: Type.Integer(),
      remaining: nullable(Type.Integer()),
      resets_at: DateTime,
    }),
    remaining: nullable(Type.Integer({ description: 'E-mails left this month; null without a limit.' })),
    verifiedDomains: Type.Array(Type.String()),
    domains: Type.Array(Type.Object({ name: Type.String(), status: Type.String() })),
    senders: Type.Array(
      Type.Object({ id: Type.String(), name: nullable(Type.String()), email: Type.String(), default: Type.Boolean() }),
    ),
    subscribers: Type.Integer({ description: 'Recipients that a campaign would reach.' }),
    sending: Type.Object({
      status: oneOf(['active', 'suspended']),
      bounce_rate: Type.Number({ description: 'Hard bounces by hand-offs of 30 days, 0 to 1.' }),
      complaint_rate: Type.Number({ description: 'Complaints by hand-offs of 30 days, 0 to 1.' }),
    }),
  },
  { $id: 'Account' },
)
export type Account = Static<typeof Account>

export const ApiMap = Type.Object(
  {
    object: Type.Literal('api'),
    name: Type.String(),
    version: Type.String(),
    documentation: Type.String({ format: 'uri' }),
    openapi: Type.String({ format: 'uri' }),
    mcp: Type.String({ format: 'uri' }),
    endpoints: Type.Array(
      Type.Object({
        method: Type.String(),
        path: Type.String(),
        scope: nullable(Type.String()),
        summary: Type.String(),
      }),
    ),
    scopes: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
  },
  { $id: 'ApiMap' },
)
export type ApiMap = Static<typeof ApiMap>
