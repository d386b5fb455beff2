/**
 * A workspace that has what the examples of the reference name, as users have it after the first
 * day.
 */
import { createServer } from 'node:http'
import { after } from 'node:test'
import { documentedWorld, type ExampleWorld } from '../../src/contract/reference/example-world.ts'
import { insertDomain, verifyDomain } from '../../src/db/domains/domains.ts'
import { sql } from '../../src/database/client/sql.ts'
import { upsertSender } from '../../src/db/workspaces/senders.ts'
import type { Api } from './api.ts'
import { ask, textAt } from './ask.ts'
import { keysAt } from './json.ts'
import { until } from './until.ts'

export async function openExampleWorld(
  api: Api,
  name: string,
): Promise<{ world: ExampleWorld; key: string }> {
  const { id, key } = await api.workspace(name)
  const { db } = api.service
  await insertDomain(db, id, 'demo.test')
  await verifyDomain(db, id, 'demo.test')
  await upsertSender(db, id, { id: api.service.makeId(), name: 'Demo', email: 'hello@demo.test' })
  const make = async (line: string, body: unknown): Promise<string> =>
    textAt(await ask(api.baseUrl, line, { key, body }), 'id')
  const mail = {
    from: 'hello@demo.test',
    to: 'ines@example.com',
    subject: 'Bonjour',
    text: 'Bonjour',
  }
  await make('POST /api/v1/subscribers', { email: 'ines@example.com', double_opt_in: false })
  await db.count(
    sql`update subscriber set confirmed_at = facteur_now() where workspace_id = ${id} and email = 'ines@example.com'`,
  )
  const draft = { name: 'n', subject: 's', text: 't' }
  const sending = await make('POST /api/v1/campaigns', draft)
  await db.count(
    sql`update campaign set status = 'sending', sent_at = facteur_now() where workspace_id = ${id} and id = ${sending}`,
  )
  await db.count(sql`
    insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending, sent, failed, suppressed, in_doubt)
    values (${id}, ${sending}, ${sending}, facteur_now() + interval '1 day', 1, 1, 0, 0, 0, 0)`)
  const webhook = await make('POST /api/v1/webhooks', {
    url: await startReceiver(),
    events: ['email.sent'],
  })
  const tested = await ask(api.baseUrl, `POST /api/v1/webhooks/${webhook}/test`, { key })
  await make('POST /api/v1/emails', mail)
  const captured = await until(
    () => ask(api.baseUrl, 'GET /api/v1/captured?wait=30', { key }),
    ({ body }) => keysAt(body, 'data').length > 0,
  )
  return {
    key,
    world: {
      baseUrl: api.baseUrl,
      later: inDays(2),
      ids: {
        ...documentedWorld(api.baseUrl).ids,
        emails: await make('POST /api/v1/emails', { ...mail, scheduled_at: inDays(1) }),
        captured: textAt(captured, 'data', '0', 'id'),
        imports: await make('POST /api/v1/subscribers/imports', {
          csv: 'email\nines@example.com\n',
          double_opt_in: false,
          consent: 'Signed up at our stand',
        }),
        webhooks: webhook,
        deliveries: textAt(tested, 'delivery_id'),
        campaigns: await make('POST /api/v1/campaigns', draft),
        drafts: await make('POST /api/v1/campaigns', draft),
        sending,
      },
    },
  }
}

/** Accepts every request; ends with the test file. */
async function startReceiver(): Promise<string> {
  const server = createServer((request, response) =>
    request.resume().on('end', () => response.writeHead(204).end()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close().closeAllConnections())
  const bound = server.address()
  return `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}/hooks/facteur`
}

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()
