/** Broadcasts are campaigns: they go to everyone who is subscribed, and to nobody else. */
import { foreignCampaignKeys, type Campaign } from '../../contract/campaigns.ts'
import { limits } from '../../contract/limits.ts'
import { Text, Type, optionalOrNull, type Static } from '../../contract/schema.ts'
import { createBodyCheck } from '../../core/input/check-body.ts'
import { shapeError } from '../../core/input/shape-error.ts'
import {
  RefusedOperation,
  type Perform,
  type ResendRequest,
  type ResendRoute,
} from './answer-resend-call.ts'
import { withOwnTags } from './own-tags.ts'
import { pageQuery } from './page-query.ts'
import { everyone, refuseOtherSegments } from './segments.ts'

const optionalText = Text.optionalOrNull({ maxLength: limits.bodyMax })
const time = Text.optionalOrNull({ maxLength: 64 })
const Changed = Type.Object({
  ...{ name: optionalText, subject: optionalText, preview_text: optionalText, from: optionalText },
  ...{
    html: optionalText,
    text: optionalText,
    segment_id: optionalText,
    audience_id: optionalText,
  },
  reply_to: optionalOrNull(Type.Union([Type.String(), Type.Array(Type.String())])),
})
const Created = Type.Object({
  ...Changed.properties,
  ...{ from: Type.String(), subject: Type.String() },
  send: optionalOrNull(Type.Boolean()),
  scheduled_at: time,
})
const Sent = Type.Object({ scheduled_at: time })

/** The keys of the schemas themselves are known, so that none of those here refuses them. */
const foreign = {
  '': { ...foreignCampaignKeys[''], topic_id: 'resend_topics', react: 'react' },
} as const
const readCreated = createBodyCheck(Created, foreign)
const readChanged = createBodyCheck(Changed, foreign)
const readSent = createBodyCheck(Sent, foreign)
/** Of calls that need no body: what it names beside the broadcast is ignored or refused. */
const checkUnneeded = createBodyCheck(Type.Object({ id: Type.Optional(Type.Unknown()) }), foreign)
const refuseForeignKeys = async ({ readBody }: Pick<ResendRequest, 'readBody'>): Promise<void> => {
  checkUnneeded((await readBody(limits.otherBodyBytes)) ?? {})
}

/**
 * Our fields of what was given. A campaign has one content: beside `html`, its text part is made
 * from it.
 */
function ownFields(fields: Static<typeof Changed>) {
  const { name, from, html, text, reply_to: replyTo } = fields
  const line = (value: string) => withOwnTags(value, { html: false })
  const content =
    typeof html === 'string' && html !== ''
      ? { html: withOwnTags(html, { html: true }) }
      : typeof text === 'string' && text !== '' && { text: line(text) }
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof fields.subject === 'string' && { subject: line(fields.subject) }),
    ...(fields.preview_text !== undefined && {
      preheader: fields.preview_text === null ? null : line(fields.preview_text),
    }),
    ...(typeof from === 'string' && { from }),
    ...(replyTo !== undefined && {
      reply_to: Array.isArray(replyTo) && replyTo.length === 0 ? null : replyTo,
    }),
    ...content,
  }
}

function checkSegment({ segment_id: segment, audience_id: audience }: Static<typeof Changed>) {
  if (typeof segment === 'string') refuseOtherSegments([segment], 'segment_id')
  if (typeof audience === 'string') refuseOtherSegments([audience], 'audience_id')
}

export const createBroadcast: ResendRoute = {
  scope: 'campaigns:write',
  async work({ perform, together, headers, readBody }) {
    const body = readCreated(await readBody(limits.campaignBodyBytes))
    const { send, scheduled_at: at, segment_id: segment, audience_id: audience } = body
    if (typeof (segment ?? audience) !== 'string')
      throw shapeError([{ path: 'segment_id', rule: 'required' }], 'resend_segment')
    checkSegment(body)
    if (typeof at === 'string' && send !== true)
      throw shapeError([{ path: 'scheduled_at', rule: 'not_supported' }], 'resend_send')
    const name = Array.from(body.subject).slice(0, limits.campaignNameMax).join('')
    const named = { name, ...ownFields(body) }
    const create = (by: Perform) => by('createCampaign', { body: named })
    if (send !== true) return { status: 201, body: { id: (await create(perform)).id } }
    // Nothing is kept of the key, so a repeated call would send a second time.
    if (headers['idempotency-key'] !== undefined)
      throw shapeError([{ path: 'idempotency-key', rule: 'not_supported' }], 'resend_send_once')
    // If the send is refused, no draft stays.
    const sent = await together(async (by) => {
      const draft = await create(by)
      return sendOrSchedule(by, draft.id, at)
    })
    return { status: 201, body: sent }
  },
}

async function sendOrSchedule(
  perform: Perform,
  id: string,
  at: string | null | undefined,
): Promise<{ id: string; scheduled_at?: string | null }> {
  if (typeof at !== 'string') return { id: (await perform('sendCampaign', { params: { id } })).id }
  const body = { scheduled_at: at }
  const scheduled = asCampaign(await perform('scheduleCampaign', { params: { id }, body }))
  return { id, scheduled_at: scheduled.scheduledAt }
}

export const updateBroadcast: ResendRoute = {
  scope: 'campaigns:write',
  async work({ perform, params: { id0: id = '' }, readBody }) {
    const body = readChanged(await readBody(limits.campaignBodyBytes))
    checkSegment(body)
    await perform('updateCampaign', { params: { id }, body: ownFields(body) })
    return { body: { id } }
  },
}

export const sendBroadcast: ResendRoute = {
  scope: 'campaigns:write',
  async work({ perform, params: { id0: id = '' }, readBody }) {
    const { scheduled_at: at } = readSent((await readBody(limits.otherBodyBytes)) ?? {})
    return { body: await sendOrSchedule(perform, id, at) }
  },
}

/** A scheduled one is a draft again; one that is on its way ends. */
export const cancelBroadcast: ResendRoute = {
  scope: 'campaigns:write',
  async work({ perform, params: { id0: id = '' }, readBody }) {
    await refuseForeignKeys({ readBody })
    await perform('unscheduleCampaign', { params: { id } }).catch((error: unknown) => {
      if (error instanceof RefusedOperation && error.code === 'conflict')
        return perform('cancelCampaign', { params: { id } })
      throw error
    })
    return { body: { object: 'broadcast', id } }
  },
}

export const duplicateBroadcast: ResendRoute = {
  scope: 'campaigns:write',
  async work({ perform, params: { id0: id = '' }, readBody }) {
    await refuseForeignKeys({ readBody })
    const copy = asCampaign(await perform('duplicateCampaign', { params: { id }, body: {} }))
    return { status: 201, body: { object: 'broadcast', id: copy.id } }
  },
}

export const removeBroadcast: ResendRoute = {
  scope: 'campaigns:write',
  async work({ perform, params: { id0: id = '' } }) {
    await perform('deleteCampaign', { params: { id } })
    return { body: { object: 'broadcast', id, deleted: true } }
  },
}

export const answerBroadcast: ResendRoute = {
  scope: 'campaigns:read',
  async work({ perform, params: { id0: id = '' } }) {
    const campaign = await perform('getCampaign', { params: { id } })
    const draft = await perform('getDraft', { params: { id } })
    // What a user left unfinished is for users alone.
    const content =
      draft.unfinished || campaign.kind === 'content' ? {} : { [draft.kind]: draft[draft.kind] }
    return {
      body: {
        object: 'broadcast',
        ...present(campaign),
        ...{ from: campaign.from, subject: campaign.subject, preview_text: campaign.preheader },
        reply_to: campaign.reply_to.length === 0 ? null : campaign.reply_to,
        ...{ topic_id: campaign.topic?.id ?? null, html: null, text: null },
        ...content,
      },
    }
  },
}

export const listBroadcasts: ResendRoute = {
  scope: 'campaigns:read',
  async work({ perform, query }) {
    const page = await perform('listCampaigns', { query: pageQuery(query, 'after') })
    return { body: { object: 'list', has_more: page.has_more, data: page.data.map(present) } }
  },
}

/** A key reads the campaign itself. */
const asCampaign = <Own extends { id: string }>(answer: Own | { campaign: Own }): Own =>
  'campaign' in answer ? answer.campaign : answer

const present = (campaign: Campaign) => ({
  id: campaign.id,
  name: campaign.name,
  ...{ segment_id: everyone.id, audience_id: everyone.id },
  status: statusOf(campaign),
  created_at: campaign.created_at,
  scheduled_at: campaign.scheduledAt,
  sent_at: campaign.sentAt,
})

/** Resend has three: `queued` is scheduled or on its way. */
function statusOf({ status, sentAt }: Campaign): 'draft' | 'queued' | 'sent' {
  switch (status) {
    case 'draft':
      return 'draft'
    case 'scheduled':
    case 'sending':
      return 'queued'
    case 'sent':
      return 'sent'
    case 'archived':
      return sentAt === null ? 'draft' : 'sent'
    default:
      return status satisfies never
  }
}
