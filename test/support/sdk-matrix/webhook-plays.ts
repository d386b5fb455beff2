/** `webhooks.*`. */
import assert from 'node:assert/strict'
import { sql } from '../../../src/database/client/sql.ts'
import { ask, textAt } from '../ask.ts'
import { at } from '../json.ts'
import { has, type Plays, type World } from './play.ts'

interface Stored {
  id: string
  url: string
  events: string[]
  enabled: boolean
}

const rows = ({ api, shop }: World): Promise<Stored[]> =>
  api.service.db.rows<Stored>(sql`
    select id, url, events, enabled from webhook
    where workspace_id = ${shop.id} and deleted_at is null`)

const stored = async (world: World, id: string): Promise<Stored | null> =>
  (await rows(world)).find((row) => row.id === id) ?? null

const webhook = async ({ api, shop }: World): Promise<string> => {
  const body = { url: 'http://127.0.0.1:9/', events: ['email.bounced'] }
  return textAt(await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body }), 'id')
}

export const webhookPlays: Plays = {
  'webhooks.create POST /webhooks': (world) =>
    Promise.resolve({
      args: [{ endpoint: 'http://127.0.0.1:9/', events: ['email.sent'] }],
      async compare(data) {
        const row = await stored(world, String(at(data, 'id')))
        assert.deepEqual([row?.url, row?.events], ['http://127.0.0.1:9/', ['email.sent']])
      },
    }),
  'webhooks.rotateSigningSecret POST /webhooks/{id}/signing-secret/rotate': async (world) => {
    const id = await webhook(world)
    const rotatedAt = (): Promise<unknown> =>
      world.api.service.db.value(sql`
        select secret from webhook where workspace_id = ${world.shop.id} and id = ${id}`)
    const before = await rotatedAt()
    return {
      args: [id],
      async compare(data) {
        has(data, { id })
        assert.notDeepEqual(await rotatedAt(), before)
      },
    }
  },
  'webhooks.get GET /webhooks/{id}': async (world) => {
    const id = await webhook(world)
    return { args: [id], compare: async (data) => has(data, await stored(world, id)) }
  },
  'webhooks.list GET /webhooks': async (world) => {
    const id = await webhook(world)
    return {
      args: [],
      async compare(data) {
        const entries: unknown[] = Object(data).data
        const byId = new Map(entries.map((entry) => [String(Object(entry).id), entry]))
        assert.ok(byId.has(id))
        const all = await rows(world)
        assert.equal(entries.length, all.length)
        for (const row of all) has(byId.get(row.id), row)
      },
    }
  },
  'webhooks.update PATCH /webhooks/{id}': async (world) => {
    const id = await webhook(world)
    const events = ['email.sent']
    return {
      args: [id, { events }],
      python: [{ webhook_id: id, events }],
      async compare(data) {
        has(data, { id })
        assert.deepEqual((await stored(world, id))?.events, events)
      },
    }
  },
  'webhooks.remove DELETE /webhooks/{id}': async (world) => {
    const id = await webhook(world)
    return {
      args: [id],
      async compare(data) {
        has(data, { id, deleted: true })
        assert.equal(await stored(world, id), null)
      },
    }
  },
}
