/** `broadcasts.*`: they are campaigns. */
import assert from 'node:assert/strict'
import { everyone } from '../../../src/entrypoints/resend/segments.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { draftOf } from '../campaign-world.ts'
import { ask, assertAnswered } from '../ask.ts'
import { at } from '../json.ts'
import { sentCampaign, open } from '../tracking-world.ts'
import { has, inDays, type Plays, type World } from './play.ts'

interface Stored {
  id: string
  name: string
  subject: string
  status: string
  scheduled: Date | null
  text: string | null
}

const stored = async ({ api, shop }: World, id: unknown): Promise<Stored | null> =>
  api.service.db.row<Stored>(sql`
    select id, name, subject, status, scheduled_at as scheduled, source->>'text' as text from campaign
    where workspace_id = ${shop.id} and id = ${String(id)}`)

const draft = ({ api, shop }: World): Promise<string> =>
  draftOf(api, shop, { name: 'Novembre', subject: 'Nouvelles', text: 'Bonjour' })

export const broadcastPlays: Plays = {
  'broadcasts.create POST /broadcasts': async (world) => ({
    args: [
      {
        segmentId: everyone.id,
        from: `hello@${world.shop.domain}`,
        subject: 'Nouvelles',
        text: 'Bonjour',
        name: 'Novembre',
      },
    ],
    compare: async (data) =>
      assert.partialDeepStrictEqual(await stored(world, at(data, 'id')), {
        ...{ name: 'Novembre', subject: 'Nouvelles', text: 'Bonjour', status: 'draft' },
      }),
  }),
  'broadcasts.get GET /broadcasts/{id}': async (world) => {
    const id = await draft(world)
    return {
      args: [id],
      async compare(data) {
        const { scheduled: scheduled_at, ...row } = Object(await stored(world, id))
        has(data, { object: 'broadcast', ...row, scheduled_at, segment_id: everyone.id })
      },
    }
  },
  'broadcasts.list GET /broadcasts': async (world) => {
    await draft(world)
    return {
      args: [{ limit: 2 }],
      async compare(data) {
        const rows = await world.api.service.db.rows<{ id: string; name: string }>(sql`
          select id, name from campaign where workspace_id = ${world.shop.id}
          order by id desc limit 2`)
        has(data, { object: 'list', data: rows })
      },
    }
  },
  'broadcasts.update PATCH /broadcasts/{id}': async (world) => {
    const id = await draft(world)
    return {
      args: [id, { name: 'Décembre' }],
      python: [{ broadcast_id: id, name: 'Décembre' }],
      async compare(data) {
        has(data, { id })
        assert.equal((await stored(world, id))?.name, 'Décembre')
      },
    }
  },
  'broadcasts.send POST /broadcasts/{id}/send': async (world) => {
    const [id, scheduledAt] = [await draft(world), inDays(1)]
    return {
      args: [id, { scheduledAt }],
      python: [{ broadcast_id: id, scheduled_at: scheduledAt }],
      async compare(data) {
        has(data, { id })
        const row = await stored(world, id)
        assert.deepEqual([row?.status, row?.scheduled?.toISOString()], ['scheduled', scheduledAt])
      },
    }
  },
  'broadcasts.cancel POST /broadcasts/{id}/cancel': async (world) => {
    const id = await draft(world)
    const { api, shop } = world
    const body = { scheduled_at: inDays(1) }
    const line = `POST /api/v1/broadcasts/${id}/send`
    assertAnswered(await ask(api.baseUrl, line, { key: shop.key, body }), 200)
    assert.equal((await stored(world, id))?.status, 'scheduled')
    return {
      args: [id],
      async compare(data) {
        has(data, { object: 'broadcast', id })
        assert.equal((await stored(world, id))?.status, 'draft')
      },
    }
  },
  'broadcasts.duplicate POST /broadcasts/{id}/duplicate': async (world) => {
    const id = await draft(world)
    return {
      args: [id],
      async compare(data) {
        const copy = at(data, 'id')
        assert.notEqual(copy, id)
        const { id: _, ...row } = Object(await stored(world, id))
        assert.partialDeepStrictEqual(await stored(world, copy), row)
      },
    }
  },
  'broadcasts.remove DELETE /broadcasts/{id}': async (world) => {
    const id = await draft(world)
    return {
      args: [id],
      async compare(data) {
        has(data, { object: 'broadcast', id, deleted: true })
        assert.equal(await stored(world, id), null)
      },
    }
  },
  'broadcasts.recipients GET /broadcasts/{id}/recipients': async (world) => {
    const { id } = await sentCampaign(world.api, world.shop, { contacts: 2 })
    return {
      args: [id, { type: 'sent' }],
      async compare(data) {
        const rows = await world.api.service.db.rows<{ subscriberId: string; email: string }>(sql`
          select subscriber_id, email from campaign_recipient
          where workspace_id = ${world.shop.id} and campaign_id = ${id} order by subscriber_id`)
        const shown = rows.map(({ subscriberId, email }) => ({ contact_id: subscriberId, email }))
        has(data, { object: 'list', data: shown })
      },
    }
  },
  'broadcasts.clickedLinks GET /broadcasts/{id}/clicked-links': async (world) => {
    const campaign = await sentCampaign(world.api, world.shop)
    const { id } = campaign
    const { db } = world.api.service
    await db.count(sql`
      update campaign set track_clicks = true where workspace_id = ${world.shop.id} and id = ${id}`)
    await open(world.api, campaign.link(0, 1))
    return {
      args: [id],
      async compare(data) {
        const rows = await db.rows<{ url: string; clicks: number }>(sql`
          select url, 1 as clicks from campaign_link
          where workspace_id = ${world.shop.id} and campaign_id = ${id} and position = 1`)
        has(data, { object: 'list', data: rows })
      },
    }
  },
}
