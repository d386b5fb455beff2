/**
 * Contacts who ask for what is stored about them, and read it, while the process that answers is
 * killed: a request is mailed whole or not at all, and data is shown by each link once.
 */
import { randomBytes } from 'node:crypto'
import { sql } from '../../src/database/client/sql.ts'
import { createLinkTokens } from '../../src/ground/link-tokens.ts'
import { createSecrets } from '../../src/ground/secrets.ts'
import { runOn } from '../support/database.ts'
import { restartPort } from '../support/fault-port.ts'
import { openWorld, type World } from '../support/fault-world.ts'
import type { Scenario } from './scenario.ts'

const contactId = '01990000-0000-7000-8000-000000000001'
const noCampaign = '00000000-0000-0000-0000-000000000000'
const kills = ['data.asked', 'data.read'] as const

export const dataRequested: Scenario = {
  name: 'data-requested',
  promise:
    'a contact who asks for their data while processes are killed is mailed one link a day, which shows the data once',
  broken: ['data.use'],
  async play(run) {
    const masterKey = randomBytes(32)
    const world = await openWorld(run)
    await addContact(world)
    const { workspaceId, db } = world
    const tokens = createLinkTokens(createSecrets(masterKey).derive('links'))
    const port = await restartPort()
    const start = (failpoints: string[] = []) => startApi(world, { port, masterKey, failpoints })
    const post = (path: string): Promise<number> => postTo(world.addressOf(port) + path)
    const unsubscribe = { workspaceId, first: noCampaign, second: contactId }
    const ask = `/preferences/${tokens.make('unsubscribe', unsubscribe)}/data`
    const wrong: string[] = []
    const expect = (what: string, value: unknown, expected: unknown): void => {
      if (value !== expected) wrong.push(`${what}: ${String(value)}, not ${String(expected)}`)
    }

    const taking = await start([`${kills[0]}:kill@1`])
    expect('the request of a killed process', await post(ask), nothing)
    await taking.ended
    expect('evidence and mails of it', await countOf(world), 0)
    const reading = await start([`${kills[1]}:kill@1`])
    expect('a request afterwards', await post(ask), 200)
    expect('a repeated one', await post(ask), 200)
    expect('their evidence and mails', await countOf(world), 2)

    const id = await db.onlyValue<string>(sql`
      select id from choice_evidence where workspace_id = ${workspaceId} and act = 'data_requested'`)
    const link = `/data/${tokens.make('data', { workspaceId, first: contactId, second: id })}`
    expect('data of a killed process', await post(link), nothing)
    await reading.ended
    await start()
    expect('the link afterwards', await post(link), 200)
    expect('the link a second time', await post(link), 410)
    return wrong
  },
}

/** The connection ended without an answer. */
const nothing = 0

const postTo = (url: string): Promise<number> =>
  fetch(url, { method: 'POST', redirect: 'manual' }).then(
    ({ status }) => status,
    () => nothing,
  )

const startApi = (
  world: World,
  { port, masterKey, failpoints }: { port: number; masterKey: Buffer; failpoints: string[] },
) =>
  world.start({
    ...{ role: 'api', port, smtpUrl: null, failpoints },
    settings: { FACTEUR_MASTER_KEY: masterKey.toString('base64') },
  })

const addContact = ({ url, workspaceId }: World): Promise<unknown> =>
  runOn(
    url,
    `update workspace set data_requests = true where id = ${workspaceId};
     insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
     values (${workspaceId}, '${contactId}', 'reader@example.test', 'subscribed', facteur_now(), facteur_now());
     insert into subscriber_tally (workspace_id, change) values (${workspaceId}, 1)`,
  )

const countOf = ({ db, workspaceId }: World): Promise<number> =>
  db.onlyValue<number>(sql`
    select ((select count(*) from choice_evidence where workspace_id = ${workspaceId})
      + (select count(*) from recipient where workspace_id = ${workspaceId}))::int as count`)
