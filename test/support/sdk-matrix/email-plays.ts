/** `emails.*`, `batch.*` and `events.*`. */
import assert from 'node:assert/strict'
import { sql } from '../../../src/database/client/sql.ts'
import { ask, textAt } from '../ask.ts'
import { at } from '../json.ts'
import { until } from '../until.ts'
import { has, inDays, type Play, type Plays, type World } from './play.ts'

const mail = {
  from: 'Boutique <hello@shop.test>',
  to: ['camille@example.com'],
  subject: 'Commande n° 1042 ✓',
  html: '<p>Bonjour</p>',
  text: 'Bonjour',
}

const ofShop = ({ shop }: World, from: object = {}) => ({
  ...mail,
  from: `Boutique <hello@${shop.domain}>`,
  ...from,
})

/** In the fields of Resend. */
const stored = async ({ api, shop }: World, id: unknown) => {
  const row = await api.service.db.row<{
    subject: string
    html: string | null
    text: string | null
    scheduled: Date | null
    canceled: boolean
    to: string[]
  }>(sql`
    select m.subject, b.html, b.text, m.scheduled_at as scheduled, m.canceled_at is not null as canceled,
      array(select r.email from recipient r
        where r.workspace_id = m.workspace_id and r.message_id = m.id and r.kind = 'to' order by r.position) as "to"
    from message m join message_body b on b.workspace_id = m.workspace_id and b.message_id = m.id
    where m.workspace_id = ${shop.id} and m.id = ${String(id)}`)
  assert.ok(row, `no message ${String(id)}`)
  return row
}

/** The identifier of a message that waits for its time. */
const scheduled = async (world: World): Promise<string> => {
  const body = { ...ofShop(world), scheduled_at: inDays(1) }
  return textAt(
    await ask(world.api.baseUrl, 'POST /api/v1/emails', { key: world.shop.key, body }),
    'id',
  )
}

const send: Play = async (world) => ({
  args: [ofShop(world, { reply_to: undefined })],
  async compare(data) {
    const { subject, html, text, to } = mail
    assert.partialDeepStrictEqual(await stored(world, at(data, 'id')), { subject, html, text, to })
  },
})

const sendBatch: Play = async (world) => {
  const subjects = ['First', 'Second']
  return {
    args: [subjects.map((subject) => ofShop(world, { subject }))],
    async compare(data) {
      const rows = [0, 1].map((n) => stored(world, at(data, 'data', String(n), 'id')))
      assert.deepEqual(
        (await Promise.all(rows)).map(({ subject }) => subject),
        subjects,
      )
    },
  }
}

export const emailPlays: Plays = {
  'emails.send POST /emails': send,
  'emails.create POST /emails': send,
  'batch.send POST /emails/batch': sendBatch,
  'batch.create POST /emails/batch': sendBatch,
  'emails.get GET /emails/{id}': async (world) => {
    const id = await scheduled(world)
    return {
      args: [id],
      async compare(data) {
        const { subject, html, text, to, scheduled: due } = await stored(world, id)
        has(data, { id, subject, html, text, to, scheduled_at: due?.toISOString() })
        has(data, { object: 'email', last_event: 'scheduled' })
      },
    }
  },
  'emails.list GET /emails': async (world) => {
    await scheduled(world)
    return {
      args: [{ limit: 2 }],
      async compare(data) {
        const rows = await world.api.service.db.rows<{ id: string; subject: string }>(sql`
          select id, subject from message where workspace_id = ${world.shop.id} and not notice
          order by created_at desc, id desc limit 2`)
        has(data, { object: 'list', data: rows })
      },
    }
  },
  'emails.update PATCH /emails/{id}': async (world) => {
    const [id, scheduledAt] = [await scheduled(world), inDays(2)]
    return {
      args: [{ id, scheduledAt }],
      async compare(data) {
        has(data, { object: 'email', id })
        assert.equal((await stored(world, id)).scheduled?.toISOString(), scheduledAt)
      },
    }
  },
  'emails.cancel POST /emails/{id}/cancel': async (world) => {
    const id = await scheduled(world)
    return {
      args: [id],
      async compare(data) {
        has(data, { object: 'email', id })
        assert.equal((await stored(world, id)).canceled, true)
      },
    }
  },
  'events.list GET /events': async ({ api, shop }) => {
    const hook = { url: 'http://127.0.0.1:9/', events: ['subscriber.created'] }
    await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body: hook })
    const body = { email: 'event@example.com', double_opt_in: false }
    await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body })
    const oldest = () =>
      api.service.db.row<{ id: string; type: string }>(sql`
        select 'evt_' || replace(id::text, '-', '') as id, type from event
        where workspace_id = ${shop.id} order by place limit 1`)
    await until(async () => (await oldest()) !== null)
    return {
      args: [],
      compare: async (data) => has(data, { object: 'list', data: [await oldest()] }),
    }
  },
}
