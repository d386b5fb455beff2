/**
 * A new type of webhook event costs its entry and its publisher: nothing else can be left out in
 * silence (CONTRIBUTING: A webhook event type).
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  eventTypes,
  eventTypesBy,
  type EventType,
  type SingleStatement,
} from '../../src/contract/events.ts'
import {
  changeAndPublish,
  type ChangeAndPublish,
} from '../../src/core/events/change-and-publish.ts'
import type { NewEvent } from '../../src/core/events/publish-events.ts'
import {
  rowsUnlessSubscribed,
  subscriptionCheck,
} from '../../src/db/webhooks/subscription-check.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'

const api = await startApi()
let workspaces = 0
const publishers = globSync('src/core/events/*.ts').map((path) => readFileSync(path, 'utf8'))

for (const type of eventTypes)
  test(`${type} has a publisher`, () => {
    assert.ok(
      publishers.some((text) => text.includes(`'${type}'`)),
      'no file of src/core/events/ names it',
    )
  })

const changes: SingleStatement[] = ['outcome', 'accepted batch', 'engagement', 'assumed delivery']

for (const of of changes)
  for (const type of eventTypesBy[of])
    test(`${of}: a webhook that names ${type} alone has its event made`, async () => {
      const { shop } = await listeningTo([type])
      assert.equal(await makesEvents(shop, of), true)
    })

test('a webhook that names all other types leaves the change a single statement', async () => {
  for (const of of changes) {
    const { shop } = await listeningTo(
      eventTypes.filter((type) => !eventTypesBy[of].includes(type)),
    )
    assert.equal(await makesEvents(shop, of), false, of)
  }
})

async function listeningTo(events: readonly EventType[]) {
  const shop = await api.workspace(`types${workspaces++}`)
  const body = { url: 'http://127.0.0.1:9/', events }
  assertAnswered(await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body }), 201)
  return { shop }
}

async function makesEvents({ id }: TestWorkspace, of: SingleStatement): Promise<boolean> {
  let created = false
  await changeAndPublish(api.service, {
    workspaceId: id,
    of,
    change: (db, unsubscribedTypes) =>
      rowsUnlessSubscribed(
        db,
        'isSubscribed',
        sql`with ${subscriptionCheck(id, unsubscribedTypes)} select is_subscribed from subscribed`,
      ),
    events: () => {
      created = true
      return Promise.resolve([])
    },
  })
  return created
}

test('a change that publishes a type whose entry does not name it does not compile', () => {
  type Changes = ChangeAndPublish<null, 'outcome'>
  const sent: NewEvent<'email.sent'>[] = [{ type: 'email.sent', data: {} }]
  const opened: NewEvent<'email.opened'>[] = [{ type: 'email.opened', data: {} }]
  const named: Changes['events'] = () => Promise.resolve(sent)
  // @ts-expect-error: the entry of `email.opened` does not name `outcome`.
  const unnamed: Changes['events'] = () => Promise.resolve(opened)
  assert.notEqual(named, unnamed)
})
