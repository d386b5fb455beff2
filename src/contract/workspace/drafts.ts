/** Defines the operations of the campaign editor: drafts as typed, finished or not. */
import { Type } from '../type.ts'
import { partOf } from '../campaign-fields.ts'
import { CampaignParams, WorkspaceCampaign, campaignStatuses } from '../campaigns.ts'
import { limits } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, PageQuery, eachOptional, listOf, nullable, oneOf, type Static } from '../schema.ts'

/** All typed content. `kind` names the one of three kinds that is sent; content of the others is stored beside it. */
const typed = partOf('typed')

export const TypedDraft = Type.Object(typed)
export type TypedDraft = Static<typeof TypedDraft>

/** A problem that keeps a draft from being sent, with its position. */
export const DraftProblem = Type.Object({
  path: Type.String({ description: '`subject`, `content.3.href`.' }),
  rule: Type.String(),
  index: Type.Optional(Type.Integer({ description: 'Of the block, from 0.' })),
  indexes: Type.Optional(Type.Array(Type.Integer(), { description: 'Inside columns: block, column, block in it.' })),
  limit: Type.Optional(Type.Number()),
  value: Type.Optional(Type.String({ description: 'The refused value.' })),
})
export type DraftProblem = Static<typeof DraftProblem>

const state = {
  version: Type.Integer({ minimum: 1, description: 'Grows with each change.' }),
  unfinished: Type.Boolean({ description: 'Whether it cannot be sent as it is.' }),
  problems: Type.Array(DraftProblem),
  savedAt: DateTime,
  savedBy: nullable(Type.String({ description: 'The address of the person; null: a program.' })),
}

export const Draft = Type.Object({
  object: Type.Literal('draft'),
  id: Type.String(),
  status: oneOf(campaignStatuses),
  ...typed,
  ...state,
})
export type Draft = Static<typeof Draft>

const SavedDraft = Type.Object({ id: Type.String(), ...state })

const DraftToSave = Type.Object({
  ...eachOptional(typed),
  version: Type.Integer({
    minimum: 1,
    description: 'The version that the change is based on: when there is a newer one, nothing is changed.',
  }),
  keepAs: Type.Optional(
    nullable(
      Type.String({
        ...{ minLength: 1, maxLength: limits.campaignNameMax },
        description: 'What stands there now becomes a draft of its own, of this name.',
      }),
    ),
  ),
})

const FoundCampaign = Type.Object({
  ...WorkspaceCampaign.properties,
  unfinished: Type.Boolean(),
})
export type FoundCampaign = Static<typeof FoundCampaign>

const SearchQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(oneOf(campaignStatuses)),
  q: Type.Optional(Type.String({ maxLength: limits.searchMax, description: 'In name or subject.' })),
})

const DraftChoices = Type.Object({
  fields: Type.Array(Type.String(), { description: 'Keys of custom fields.' }),
  trackOpens: Type.Boolean({ description: 'What new campaigns begin with.' }),
  trackClicks: Type.Boolean(),
})

const reader = {
  email: Type.Optional(
    Type.String({
      maxLength: limits.addressMax,
      description: 'A subscriber; absent: the defaults of the merge tags.',
    }),
  ),
}

const PreviewQuery = Type.Object({
  ...reader,
  version: Type.Optional(
    Type.Integer({
      description:
        'The version that the caller knows, so that its browser fetches a newer one. The answer is always the present draft.',
    }),
  ),
})

export const DraftPreview = Type.Object({
  version: Type.Integer(),
  subject: Type.String(),
  preheader: Type.String(),
  text: Type.String({ description: 'The plain part.' }),
  from: nullable(Type.String()),
  leftOut: Type.Integer({ description: 'Blocks that cannot be shown as they are.' }),
})
export type DraftPreview = Static<typeof DraftPreview>

const PreviewPageQuery = Type.Object({
  ...PreviewQuery.properties,
  dark: Type.Optional(oneOf(['0', '1'], { description: 'Whether the reader prefers dark colours.' })),
  images: Type.Optional(oneOf(['0', '1'], { description: 'Whether pictures are fetched from elsewhere.' })),
})

const Finding = Type.Object({
  check: Type.String(),
  status: oneOf(['ok', 'warning', 'problem']),
  reason: Type.String(),
  details: Type.Unsafe<Record<string, string | number>>({ type: 'object' }),
})

const DraftPreflight = Type.Object({
  version: Type.Integer(),
  problems: Type.Array(DraftProblem),
  findings: Type.Array(Finding),
  audience: Type.Object({
    reachable: Type.Integer(),
    heldBack: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer(), more: Type.Boolean() })),
  }),
})
export type DraftPreflight = Static<typeof DraftPreflight>

const drafts = operationsOf({ ...ofMembers, tag: 'Campaigns' })
const ofDraft = operationsOf({ ...ofMembers, tag: 'Campaigns', params: CampaignParams })

export const draftOperations = {
  searchCampaigns: {
    ...drafts.get('/api/v1/campaigns/search'),
    summary: 'Find campaigns',
    description: 'Newest first. Without a status: all but the archived.',
    query: SearchQuery,
    answer: { status: 200, schema: listOf(FoundCampaign) },
    errors: ['validation_error'],
  },
  listDraftChoices: {
    ...drafts.get('/api/v1/draft-choices'),
    summary: 'What an editor may choose from',
    description: 'The fields that merge tags can name, and whether new campaigns track opens and clicks.',
    answer: { status: 200, schema: DraftChoices },
  },
  createDraft: {
    ...drafts.post('/api/v1/drafts'),
    summary: 'Begin a campaign',
    description: 'It may be unfinished: its name and its kind of content are needed, the rest is empty unless it is given.',
    body: Type.Object({
      ...eachOptional(typed),
      name: Type.String({ minLength: 1, maxLength: limits.campaignNameMax }),
      kind: typed.kind,
    }),
    bodyBytesMax: limits.campaignBodyBytes,
    answer: { status: 201, schema: Draft },
    errors: ['validation_error'],
  },
  getDraft: {
    ...ofDraft.get('/api/v1/campaigns/{id}/draft'),
    summary: 'Read what is typed',
    description: 'Of any campaign; changed is a draft only.',
    answer: { status: 200, schema: Draft },
    errors: ['not_found'],
  },
  saveDraft: {
    ...ofDraft.post('/api/v1/campaigns/{id}/draft'),
    summary: 'Save what is typed',
    description:
      'Finished or not; a field that is absent stays. 409 `conflict` with `details.reason` `version`, and the newer version as `details.draft`, when somebody saved ' +
      'another one meanwhile: then nothing is changed.',
    body: DraftToSave,
    bodyBytesMax: limits.campaignBodyBytes,
    answer: { status: 200, schema: SavedDraft },
    errors: ['not_found', 'conflict', 'validation_error'],
  },
  previewDraft: {
    ...ofDraft.get('/api/v1/campaigns/{id}/preview'),
    summary: 'See a draft as a reader would',
    description: 'Subject and plain part; personal links are placeholders.',
    query: PreviewQuery,
    answer: { status: 200, schema: DraftPreview },
    errors: ['not_found', 'validation_error'],
  },
  previewDraftPage: {
    ...ofDraft.get('/api/v1/campaigns/{id}/preview/html'),
    summary: 'See the page of a draft',
    description: 'As it is sent, for a sandboxed frame.',
    query: PreviewPageQuery,
    answer: fileAnswer,
    errors: ['not_found', 'validation_error'],
  },
  preflightDraft: {
    ...ofDraft.post('/api/v1/campaigns/{id}/preflight'),
    summary: 'Check a draft before it is sent',
    description: 'Its errors, its warnings, and whom it would reach. Requests each link once. Sends nothing.',
    answer: { status: 200, schema: DraftPreflight },
    errors: ['not_found', 'conflict'],
  },
  sendDraftTest: {
    ...ofDraft.post('/api/v1/campaigns/{id}/test'),
    summary: 'Send a test to oneself',
    description: "One copy, marked as a test, to the person's own address: it counts in no quota, so it goes nowhere else.",
    answer: { status: 202, schema: Type.Object({ id: Type.String({ description: 'Of the message.' }), to: Type.String() }) },
    errors: ['not_found', 'conflict', 'validation_error', 'unverified_from_domain', 'reputation_blocked', 'suppressed_recipient'],
  },
} as const satisfies Record<string, Operation>
