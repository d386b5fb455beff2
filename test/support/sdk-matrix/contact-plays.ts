/** `contacts.*`, `segments.*` and `audiences.*`: contacts are subscribers, in one list. */
import assert from 'node:assert/strict'
import { everyone } from '../../../src/entrypoints/resend/segments.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { ask } from '../ask.ts'
import { at } from '../json.ts'
import { has, newAddress, type Play, type Plays, type World } from './play.ts'

interface Stored {
  id: string
  email: string
  status: string
  firstName: string | null
}

const stored = ({ api, shop }: World, email: string): Promise<Stored | null> =>
  api.service.db.row<Stored>(sql`
    select id, email, status, first_name from subscriber
    where workspace_id = ${shop.id} and email = ${email}`)

const isSuppressed = async ({ api, shop }: World, email: string): Promise<boolean> =>
  (await api.service.db.count(sql`
    select from suppression where workspace_id = ${shop.id} and email = ${email}`)) === 1

/** Subscribed at once, as `double_opt_in: false` of our own call has it. */
const subscribed = async (world: World): Promise<Stored> => {
  const body = { email: newAddress(), firstName: 'Inès', double_opt_in: false }
  await ask(world.api.baseUrl, 'POST /api/v1/subscribers', { key: world.shop.key, body })
  const row = await stored(world, body.email)
  assert.ok(row)
  return row
}

/** The two ways to name a list, of which the older one stands in the path. */
const inAudience = { audienceId: everyone.id }

const create =
  (where: object): Play =>
  async (world) => {
    const email = newAddress()
    return {
      args: [{ email, firstName: 'Ada', ...where }],
      async compare(data) {
        const row = await stored(world, email)
        has(data, { object: 'contact', id: row?.id })
        assert.partialDeepStrictEqual(row, { status: 'pending', firstName: 'Ada' })
      },
    }
  }

const get =
  (where: object): Play =>
  async (world) => {
    const row = await subscribed(world)
    return {
      args: [{ id: row.id, ...where }],
      python: { id: row.id, ...inPython(where) },
      compare: async (data) => {
        const { firstName, ...same } = row
        has(data, { object: 'contact', ...same, first_name: firstName, unsubscribed: false })
      },
    }
  }

const list =
  (segmentId?: string): Play =>
  async (world) => {
    await subscribed(world)
    return {
      args: [{ limit: 100, ...(segmentId && { segmentId }) }],
      python: { params: { limit: 100 }, ...(segmentId && { segment_id: segmentId }) },
      async compare(data) {
        const rows = await world.api.service.db.rows<{ id: string; email: string }>(sql`
          select id, email from subscriber where workspace_id = ${world.shop.id}
            and (status = 'subscribed' or ${segmentId === undefined})
          order by id desc`)
        has(data, { object: 'list', has_more: false, data: rows })
        assert.equal(at(data, 'data', 'length'), rows.length)
      },
    }
  }

const update =
  (where: object): Play =>
  async (world) => {
    const { id, email } = await subscribed(world)
    return {
      args: [{ id, firstName: 'Ina', ...where }],
      async compare(data) {
        has(data, { object: 'contact', id })
        assert.partialDeepStrictEqual(await stored(world, email), {
          ...{ status: 'subscribed', firstName: 'Ina' },
        })
      },
    }
  }

/** The unsubscribe verb: the record stays. */
const remove =
  (where: object): Play =>
  async (world) => {
    const { id, email } = await subscribed(world)
    return {
      args: [{ id, ...where }],
      python: { id, ...inPython(where) },
      async compare(data) {
        has(data, { object: 'contact', contact: id, deleted: false })
        assert.equal((await stored(world, email))?.status, 'unsubscribed')
        assert.equal(await isSuppressed(world, email), true)
      },
    }
  }

const inPython = (where: object): object =>
  Object.keys(where).length === 0 ? {} : { audience_id: everyone.id }

/** The one entry; its contacts are those whom the database has as subscribed. */
const readSegments =
  (args: readonly unknown[], entryOf: (data: unknown) => unknown): Play =>
  async (world) => {
    const { email } = await subscribed(world)
    return {
      args,
      async compare(data) {
        const entry = entryOf(data)
        has(entry, { name: everyone.name })
        const line = `GET /api/v1/segments/${String(at(entry, 'id'))}/contacts?limit=100`
        const { body } = await ask(world.api.baseUrl, line, { key: world.shop.key })
        const rows = await world.api.service.db.rows<{ email: string }>(sql`
          select email from subscriber
          where workspace_id = ${world.shop.id} and status = 'subscribed' order by id desc`)
        assert.ok(rows.some((row) => row.email === email))
        has(body, { data: rows })
      },
    }
  }

const listSegments = readSegments([], (data) => {
  assert.equal(at(data, 'data', 'length'), 1)
  return at(data, 'data', '0')
})
const getSegment = readSegments([everyone.id], (data) => data)

export const contactPlays: Plays = {
  'segments.list GET /segments': listSegments,
  'audiences.list GET /segments': listSegments,
  'segments.get GET /segments/{id}': getSegment,
  'audiences.get GET /segments/{id}': getSegment,
  'contacts.create POST /contacts': create({}),
  'contacts.create POST /audiences/{id}/contacts': create(inAudience),
  'contacts.list GET /contacts': list(),
  'contacts.list GET /segments/{id}/contacts': list(everyone.id),
  'contacts.get GET /contacts/{id}': get({}),
  'contacts.get GET /audiences/{id}/contacts/{id}': get(inAudience),
  'contacts.update PATCH /contacts/{id}': update({}),
  'contacts.update PATCH /audiences/{id}/contacts/{id}': update(inAudience),
  'contacts.remove DELETE /contacts/{id}': remove({}),
  'contacts.remove DELETE /audiences/{id}/contacts/{id}': remove(inAudience),
}
