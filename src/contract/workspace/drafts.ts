/** Defines the operations of the campaign editor: drafts as typed, finished or not. */
import { partOf } from '../campaign-fields.ts'
import { CampaignParams, CampaignQuery, WorkspaceCampaign, campaignStatuses } from '../campaigns.ts'
import { limits } from '../limits.ts'
import { created, fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, Text, Type, count, eachOptional, oneOf, type Static } from '../schema.ts'
import { audienceLimits } from './audience-limits.ts'
import { BoundedCount, countedEntriesMax, countsByStatus } from '../counted.ts'
import { ReaderRates } from './overview-period.ts'

/**
 * All typed content. `kind` names the one of three kinds that is sent; content of the others is
 * stored beside it.
 */
const typed = partOf('typed')

export const TypedDraft = Type.Object(typed)
export type TypedDraft = Static<typeof TypedDraft>

/** A problem that keeps a draft from being sent, with its position. */
export const DraftProblem = Type.Object({
  path: Type.String({ description: '`subject`, `content.3.href`.' }),
  rule: Type.String(),
  index: Type.Optional(Type.Integer({ description: 'Of the block, from 0.' })),
  indexes: Type.Optional(
    Type.Array(Type.Integer(), { description: 'Inside columns: block, column, block in it.' }),
  ),
  limit: Type.Optional(Type.Number()),
  value: Text.optional({ description: 'The refused value.' }),
  found: Text.optional({ description: 'The character that may not stand there, as `U+202E`.' }),
  allowed: Type.Optional(
    Type.Array(Type.Unknown(), { description: 'What may stand in its place.' }),
  ),
})
export type DraftProblem = Static<typeof DraftProblem>

const state = {
  version: Type.Integer({ minimum: 1, description: 'Grows with each change.' }),
  unfinished: Type.Boolean({ description: 'Whether it cannot be sent as it is.' }),
  problems: Type.Array(DraftProblem),
  savedAt: DateTime,
  savedBy: Text.orNull({ description: 'The address of the person; null: a program.' }),
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
    description:
      'The version that the change is based on: when there is a newer one, nothing is changed.',
  }),
  keepAs: Text.optionalOrNull({
    ...{ minLength: 1, maxLength: limits.campaignNameMax },
    description: 'The present content becomes a draft of its own, of this name.',
  }),
})

/** As users read it in their list. */
export const FoundCampaign = Type.Object({
  ...WorkspaceCampaign.properties,
  unfinished: Type.Boolean(),
  renderedSubject: Type.String({
    description:
      'The subject as one subscribed contact would read it; without one, the defaults of its merge tags.',
    examples: ['News for Camille'],
  }),
  readerRates: ReaderRates,
})
export type FoundCampaign = Static<typeof FoundCampaign>

const CampaignTotals = Type.Object({
  object: Type.Literal('campaign_totals'),
  all: BoundedCount,
  statuses: countsByStatus(campaignStatuses),
})

/** The date is that of the list: when it is scheduled, was sent, or was last changed. */
const filter = {
  q: Text.optional({ maxLength: limits.searchMax, description: 'In name or subject.' }),
  since: Text.optional({ maxLength: 40, description: 'Its date is at or after: RFC 3339.' }),
  until: Text.optional({ maxLength: 40, description: 'Its date is before: RFC 3339.' }),
}

/** By time of creation, by the date that the list shows, or by name; `-`: the other way. */
export const campaignSorts = ['-created', '-date', 'date', 'name', '-name'] as const
export type CampaignSort = (typeof campaignSorts)[number]

/** Without a status: all but the archived. */
export const CampaignSearch = Type.Object({
  ...CampaignQuery.properties,
  ...filter,
  sort: Type.Optional(
    oneOf(campaignSorts, {
      description:
        'Absent: newest first. `date`: when it is scheduled, was sent, or was last changed.',
    }),
  ),
})

const DraftChoices = Type.Object({
  fields: Type.Array(Type.String(), { description: 'Keys of custom fields.' }),
  trackOpens: Type.Boolean({ description: 'The choice of new campaigns.' }),
  trackClicks: Type.Boolean(),
})

const PreviewQuery = Type.Object({
  email: Text.optional({
    maxLength: limits.addressMax,
    description: 'A subscriber; absent: the defaults of the merge tags.',
  }),
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
  from: Text.orNull(),
  leftOut: Type.Integer({ description: 'Blocks that cannot be shown as they are.' }),
})
export type DraftPreview = Static<typeof DraftPreview>

const PreviewPageQuery = Type.Object({
  ...PreviewQuery.properties,
  dark: Type.Optional(
    oneOf(['0', '1'], { description: 'Whether the reader prefers dark colours.' }),
  ),
  images: Type.Optional(
    oneOf(['0', '1'], { description: 'Whether pictures are fetched from elsewhere.' }),
  ),
})

const Finding = Type.Object({
  check: Type.String(),
  status: oneOf(['ok', 'warning', 'problem']),
  reason: Type.String(),
  details: Type.Unsafe<Record<string, string | number>>({
    type: 'object',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    examples: [{}],
  }),
})

export const DraftPreflight = Type.Object({
  object: Type.Literal('campaign_preflight'),
  id: Type.String(),
  version: Type.Integer({ description: 'Of the draft that was checked.' }),
  problems: Type.Array(DraftProblem, { description: 'What keeps it from being sent.' }),
  findings: Type.Array(Finding),
  audience: Type.Object({
    reachable: Type.Integer({ description: 'Whom a send would reach now.' }),
    notReached: Type.Array(
      Type.Object({
        reason: Type.String(),
        name: Text.orNull(),
        count: Type.Integer(),
        more: Type.Boolean(),
      }),
    ),
  }),
})
export type DraftPreflight = Static<typeof DraftPreflight>

const DeletedDrafts = Type.Object({
  object: Type.Literal('deleted_drafts'),
  deleted: count('Drafts that are gone.'),
  unchanged: count('Campaigns that are no draft any more, or were deleted before.'),
})

const drafts = operationsOf({ ...ofMembers, tag: 'Campaigns', params: CampaignParams })

export const draftOperations = {
  countCampaigns: drafts.get('/api/v1/campaign-totals', CampaignTotals, {
    summary: 'Count campaigns by status',
    description: `At one moment; each status up to ${countedEntriesMax.toLocaleString('en-US')}, and \`all\` but the archived.`,
    query: Type.Object(filter),
    errors: ['conflict', 'rate_limit_exceeded'],
  }),
  listDraftChoices: drafts.get('/api/v1/draft-choices', DraftChoices, {
    summary: 'Read the choices of an editor',
    description:
      'The fields that merge tags can name, and whether new campaigns track opens and clicks.',
  }),
  createDraft: drafts.post('/api/v1/drafts', created(Draft), {
    summary: 'Begin a campaign',
    description:
      'It may be unfinished: its name and its kind of content are needed, the rest is empty unless it is given.',
    body: Type.Object({
      ...eachOptional(typed),
      name: Type.String({ minLength: 1, maxLength: limits.campaignNameMax }),
      kind: typed.kind,
    }),
    bodyBytesMax: limits.campaignBodyBytes,
  }),
  deleteSelectedDrafts: drafts.post('/api/v1/drafts/delete-selected', DeletedDrafts, {
    summary: 'Delete selected drafts',
    description: 'Each that is still a draft.',
    params: Type.Object({}),
    body: Type.Object({
      ids: Type.Array(Type.String({ format: 'uuid' }), {
        minItems: 1,
        maxItems: audienceLimits.selectedTogetherMax,
        description: 'Identifiers of drafts.',
      }),
    }),
  }),
  getDraft: drafts.get('/api/v1/campaigns/{id}/draft', Draft, {
    summary: 'Read what is typed',
    description: 'Of any campaign; changed is a draft only.',
  }),
  saveDraft: drafts.post('/api/v1/campaigns/{id}/draft', SavedDraft, {
    summary: 'Save what is typed',
    description:
      'Finished or not; a field that is absent stays. 409 `conflict` with `details.reason` `version`, and the newer version as `details.draft`, when somebody saved ' +
      'another one meanwhile: then nothing is changed.',
    body: DraftToSave,
    bodyBytesMax: limits.campaignBodyBytes,
    errors: ['conflict'],
  }),
  previewDraft: drafts.get('/api/v1/campaigns/{id}/preview', DraftPreview, {
    summary: 'See a draft as a reader would',
    description: 'Subject and plain part; personal links are placeholders.',
    query: PreviewQuery,
  }),
  previewDraftPage: drafts.get('/api/v1/campaigns/{id}/preview/html', fileAnswer, {
    summary: 'See the page of a draft',
    description: 'As it is sent, for a sandboxed frame.',
    query: PreviewPageQuery,
  }),
}
