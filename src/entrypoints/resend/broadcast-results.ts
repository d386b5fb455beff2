/** Who received a broadcast and what became of it, and its links: as the pages of a campaign. */
import type { CampaignRecipient } from '../../contract/workspace/campaign-recipients.ts'
import { limits } from '../../contract/limits.ts'
import { Type, oneOf } from '../../contract/schema.ts'
import { createBodyCheck } from '../../core/input/check-body.ts'
import { shapeError } from '../../core/input/shape-error.ts'
import { RefusedOperation, type Perform, type ResendRoute } from './answer-resend-call.ts'

const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageMax })),
  after: Type.Optional(Type.String({ maxLength: 1000 })),
}
const types = [
  ...(['sent', 'delivered', 'opened', 'clicked'] as const),
  ...(['bounced', 'complained', 'unsubscribed', 'suppressed'] as const),
]
const bounceTypes = ['permanent', 'transient', 'undetermined'] as const
const readPage = createBodyCheck(Type.Object(page), { '': { before: 'resend_before' } })
const readWanted = createBodyCheck(
  Type.Object({
    ...page,
    type: oneOf(types),
    email: Type.Optional(Type.String({ maxLength: limits.addressMax })),
    bounce_type: Type.Optional(oneOf(bounceTypes)),
  }),
  { '': { before: 'resend_before' } },
)

const numbered = ({ limit, ...query }: Record<string, string>): object =>
  limit === undefined ? query : { ...query, limit: Number(limit) }

/** Calls that look for a recipient of a page, each within its own time. */
const readsMax = 20

/**
 * Needs `campaigns:read` too. What is rare in a long list is looked for several times; a page that
 * still has nothing says where to go on, in `next_cursor`.
 */
export const listBroadcastRecipients: ResendRoute = {
  scope: 'subscribers:read',
  async work({ perform, params: { id0: id = '' }, query }) {
    const filter = readWanted(numbered(query))
    if (filter.bounce_type !== undefined && filter.type !== 'bounced')
      throw shapeError([{ path: 'bounce_type', rule: 'not_supported' }])
    await perform('getCampaign', { params: { id } })
    const narrowed = await narrow(perform, filter)
    if (narrowed === null) return { body: { object: 'list', has_more: false, data: [] } }
    const { type: only, limit } = filter
    const request = { only, engagement: '1', ...(limit !== undefined && { limit: String(limit) }) }
    for (let reads = 1, from = narrowed; ; reads++) {
      const recipients = await perform('listCampaignRecipients', {
        params: { id },
        query: { ...request, ...from },
      })
      const data = recipients.data
        .filter(({ bounce }) => !filter.bounce_type || bounceTypeOf(bounce) === filter.bounce_type)
        .map((recipient) => present(recipient, filter.type))
      const { has_more: hasMore, next_cursor: next } = recipients
      if (data.length > 0 || !hasMore || reads === readsMax)
        return { body: { object: 'list', has_more: hasMore, data, next_cursor: next } }
      from = { cursor: next }
    }
  },
}

/** Where to look: at one contact's row, behind a row, or from the start. Null means nowhere. */
async function narrow(
  perform: Perform,
  { email, after }: { email?: string; after?: string },
): Promise<Record<string, string> | null> {
  if (email !== undefined) {
    const contact = await perform('getSubscriber', { params: { email } }).catch(
      (error: unknown) => {
        if (error instanceof RefusedOperation && error.code === 'not_found') return null
        throw error
      },
    )
    return contact && { subscriberId: contact.id }
  }
  if (after === undefined) return {}
  return /^[0-9a-f-]{36}$/.test(after) ? { after } : { cursor: after }
}

/** `sent` is whoever the mail was handed over for, whatever became of it later. */
function present(
  { subscriberId, email, bounce, engagement }: CampaignRecipient,
  type: (typeof types)[number],
) {
  const links = engagement?.clicks ?? []
  return {
    ...{ id: subscriberId, contact_id: subscriberId, email },
    ...(type === 'opened' && { count: Math.max(engagement?.opens ?? 0, 1) }),
    ...(type === 'clicked' && {
      count: Math.max(
        links.reduce((sum, { clicks }) => sum + clicks, 0),
        1,
      ),
      clicked_links: links,
    }),
    ...(type === 'bounced' && { bounce_type: bounceTypeOf(bounce) }),
  }
}

/** Of a refusal by policy, nobody knows whether it lasts. */
function bounceTypeOf(bounce: CampaignRecipient['bounce']): (typeof bounceTypes)[number] {
  if (bounce === 'hard') return 'permanent'
  return bounce === 'soft' ? 'transient' : 'undetermined'
}

/** In the order of the mail, which no click changes between two pages. */
export const listBroadcastLinks: ResendRoute = {
  scope: 'campaigns:read',
  async work({ perform, params: { id0: id = '' }, query }) {
    const { limit = limits.pageDefault, after = '-1' } = readPage(numbered(query))
    if (!/^(?:-1|\d{1,5})$/.test(after)) throw shapeError([{ path: 'after', rule: 'cursor' }])
    await perform('getCampaign', { params: { id } })
    const { links } = await perform('getCampaignResults', {
      params: { id },
      query: { uniqueClicks: '1' },
    })
    const behind = links
      .filter(({ position, clicks }) => clicks > 0 && position > Number(after))
      .toSorted((a, b) => a.position - b.position)
    const data = behind.slice(0, limit).map(({ position, url, clicks, uniqueClicks = 0 }) => ({
      ...{ id: String(position), url, clicks, unique_clicks: uniqueClicks },
    }))
    return { body: { object: 'list', has_more: behind.length > limit, data } }
  },
}
