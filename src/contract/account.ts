/**
 * Defines what a key may read about its workspace, and the map of the API (spec: Account, API map;
 * semantics 4).
 */
import {
  DateTime,
  Text,
  Type,
  instant,
  instantOrNull,
  named,
  nullable,
  oneOf,
  type Static,
} from './schema.ts'

/** The reasons that suspend the sending of a workspace. */
export const suspendedBy = nullable(
  oneOf(['bounce_rate', 'complaint_rate', 'gmail_spam_rate'], {
    description: 'The rate that suspends. Null: none.',
  }),
)

/** A day's share of mails that users of Gmail reported as spam, which suspends sending. */
export const GmailRate = Type.Object(
  {
    domain: Type.String({ examples: ['mail.acme.example'] }),
    day: Type.String({ format: 'date', description: 'As Google counts days.' }),
    spam_rate: Type.Number({ minimum: 0, maximum: 1, examples: [0.002] }),
    until: instant('When the day no longer counts, unless another one follows.'),
  },
  { description: "Gmail's spam rate of a day, by Google's Postmaster Tools. Null: none suspends." },
)
export type GmailRate = Static<typeof GmailRate>

export const Account = named('Account', {
  object: Type.Literal('account'),
  workspace: Type.Object({
    id: Type.String({ examples: ['1'] }),
    name: Type.String({ examples: ['Demo'] }),
    slug: Type.String({ examples: ['demo'] }),
  }),
  key: Type.Object({
    id: Type.String({ format: 'uuid' }),
    name: Type.String({ examples: ['shop'] }),
    prefix: Type.String({
      description: 'The beginning of the key, which identifies it.',
      examples: ['fct_live_1_x7Qd'],
    }),
  }),
  scopes: Type.Array(Type.String({ examples: ['emails:send'] })),
  permissions: Type.Array(Type.String({ examples: ['emails:send'] }), {
    description: 'The same as `scopes`.',
  }),
  plan: Type.Object({
    name: Type.String({ examples: ['default'] }),
    monthly_quota: nullable(
      Type.Integer({ description: 'Recipients a calendar month (UTC); null is no limit.' }),
    ),
  }),
  quota: Type.Object({
    limit: nullable(Type.Integer()),
    used: Type.Integer({
      minimum: 0,
      examples: [42],
      description: 'This month, by all workspaces that share it.',
    }),
    remaining: nullable(Type.Integer()),
    resets_at: DateTime,
    workspaces: Type.Integer({
      minimum: 1,
      examples: [1],
      description:
        'How many share it: those that people make beside a workspace have its plan and its quota together with it.',
    }),
  }),
  remaining: nullable(
    Type.Integer({ description: 'E-mails left this month; null without a limit.' }),
  ),
  verifiedDomains: Type.Array(Type.String({ examples: ['demo.test'] })),
  domains: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['demo.test'] }),
      status: Type.String({ examples: ['verified'] }),
    }),
  ),
  senders: Type.Array(
    Type.Object({
      id: Type.String({ format: 'uuid' }),
      name: Text.orNull(),
      email: Type.String({ examples: ['hello@demo.test'] }),
      default: Type.Boolean({ examples: [true] }),
      created_at: DateTime,
      createdAt: instant('The same as `created_at`.'),
    }),
  ),
  subscribers: Type.Integer({ description: 'Recipients that a campaign would reach.' }),
  sending: Type.Object({
    status: oneOf(['active', 'suspended']),
    suspended_by: suspendedBy,
    bounce_rate: Type.Number({ description: 'Hard bounces by hand-offs of 30 days, 0 to 1.' }),
    complaint_rate: Type.Number({ description: 'Complaints by hand-offs of 30 days, 0 to 1.' }),
    suspended_since: instantOrNull('While suspended: when the workspace was notified. Else null.'),
  }),
})
export type Account = Static<typeof Account>

export const ApiMap = named('ApiMap', {
  object: Type.Literal('api'),
  name: Type.String({ examples: ['Facteur'] }),
  version: Type.String({ examples: ['1.0.0'] }),
  documentation: Type.String({ format: 'uri', examples: ['https://mail.example.com/docs'] }),
  openapi: Type.String({
    format: 'uri',
    examples: ['https://mail.example.com/api/v1/openapi.json'],
  }),
  mcp: Type.String({
    format: 'uri',
    description: 'Where agents call the same operations as tools, by the Model Context Protocol.',
    examples: ['https://mail.example.com/api/mcp'],
  }),
  endpoints: Type.Array(
    Type.Object({
      method: Type.String({ examples: ['GET'] }),
      path: Type.String({ examples: ['/api/v1/me'] }),
      scope: Text.orNull({ description: 'Null: any key, or none at all for this map.' }),
      summary: Type.String({ examples: ['The workspace of the key'] }),
    }),
  ),
  scopes: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['emails:send'] }),
      description: Type.String({ examples: ['Send single e-mails and read their status.'] }),
    }),
  ),
})
export type ApiMap = Static<typeof ApiMap>
