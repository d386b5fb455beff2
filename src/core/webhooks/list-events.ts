/** GET /events: the events that webhooks receive, for polling, in commit order. */
import type { Event } from '../../contract/events.ts'
import { limits } from '../../contract/limits.ts'
import { eventPage } from '../../db/events/events.ts'
import { shapeError } from '../input/shape-error.ts'
import { readEventId } from '../presentation/event-id.ts'
import type { Verb } from '../verb.ts'

/** Throws `validation_error` for an event that does not exist any more. */
export const listEvents: Verb<'listEvents'> = async (ctx, { query }) => {
  const limit = query.limit ?? limits.pageDefault
  const [path, cursor] = query.after
    ? (['after', query.after] as const)
    : (['cursor', query.cursor ?? ''] as const)
  const after = cursor === '' ? null : readEventId(cursor)
  const unknown = cursor !== '' && after === null
  const page = unknown ? null : await eventPage(ctx.db, ctx.workspaceId, { after, max: limit + 1 })
  if (page === null) throw shapeError([{ path, rule: 'event' }])
  const data = page.bodies.slice(0, limit).map(readBody)
  const more = page.uncutCount > data.length
  return {
    body: {
      object: 'list',
      data,
      has_more: more,
      next_cursor: more ? (data.at(-1)?.id ?? '') : '',
    },
  }
}

/** We stored it (db/events/events.ts), so it has this shape. */
const readBody = (body: string): Event => JSON.parse(body) as Event
