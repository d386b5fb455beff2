/** `suppressions.*` and `logs.*`. */
import assert from 'node:assert/strict'
import { sql } from '../../../src/database/client/sql.ts'
import { has, newAddress, type Plays, type World } from './play.ts'

const idOf = ({ api, shop }: World, email: string): Promise<string | null> =>
  api.service.db.value<string>(sql`
    select id from suppression where workspace_id = ${shop.id} and email = ${email}`)

export const suppressionPlays: Plays = {
  'suppressions.add POST /suppressions': (world) => {
    const email = newAddress()
    return Promise.resolve({
      args: [{ email }],
      compare: async (data) => has(data, { object: 'suppression', id: await idOf(world, email) }),
    })
  },
  'suppressions.get GET /suppressions/{id}': async (world) => {
    const email = newAddress()
    await world.shop.suppress(email, 'unsubscribe')
    return {
      args: [email],
      compare: async (data) => has(data, { id: await idOf(world, email), email, origin: 'manual' }),
    }
  },
  'suppressions.list GET /suppressions': async (world) => {
    await world.shop.suppress(newAddress(), 'bounce')
    return {
      args: [{ limit: 2 }],
      async compare(data) {
        const rows = await world.api.service.db.rows<{ id: string; email: string }>(sql`
          select id, email from suppression where workspace_id = ${world.shop.id}
          order by created_at desc, id desc limit 2`)
        has(data, { object: 'list', data: rows })
      },
    }
  },
  'suppressions.batch.add POST /suppressions/batch/add': (world) => {
    const emails = [newAddress(), newAddress()]
    return Promise.resolve({
      args: [{ emails }],
      async compare(data) {
        const ids = await Promise.all(emails.map((email) => idOf(world, email)))
        const answered = Array.from(Object(data).data, (item) => Object(item).id)
        assert.deepEqual(answered, ids)
      },
    })
  },
}

interface Logged {
  id: string
  status: number
}

async function logged({ api, shop }: World, max: number): Promise<Logged[]> {
  await api.service.requestLog.flush()
  return api.service.db.rows<Logged>(sql`
    select id, status from request_log where workspace_id = ${shop.id}
    order by id desc limit ${max}`)
}

const asLog = ({ id, status }: Logged) => ({ id, response_status: status })

export const logPlays: Plays = {
  'logs.list GET /logs': async (world) => {
    const rows = await logged(world, 2)
    return {
      args: [{ limit: 2 }],
      compare: (data) => Promise.resolve(has(data, { object: 'list', data: rows.map(asLog) })),
    }
  },
  'logs.get GET /logs/{id}': async (world) => {
    const [row] = await logged(world, 1)
    return {
      args: [row?.id],
      compare: (data) => Promise.resolve(has(data, { object: 'log', ...(row && asLog(row)) })),
    }
  },
}
