/**
 * The log of single messages, a window at a time: what a statement finds within it, where it ends,
 * and which messages stay when the others expire.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexMessages } from '../../../src/core/message-index/index-messages.ts'
import {
  endOfIndexed,
  endOfLogWindow,
  namedByStatus,
  newestOfStatus,
  type LogPage,
} from '../../../src/db/messages/message-log.ts'
import { stayingMessages } from '../../../src/db/messages/staying-messages.ts'
import { ScanMark } from '../../../src/ground/scan-mark.ts'
import { accepted, startRelayWorld } from '../../support/relay-world.ts'

const world = await startRelayWorld()
const { service } = world
const { db } = service
const [workspace, other] = [await world.workspace('log'), await world.workspace('another log')]

/** From the oldest to the newest, an hour apart. */
const statuses = ['bounced', 'queued', 'delivered', 'bounced', 'sent'] as const
const ids: string[] = []
for (const [at, status] of statuses.entries()) {
  const id = await accepted(world, workspace, {
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    to: `reader${at}@example.com`,
  })
  ids.push(id)
  const hours = statuses.length - at
  await world.run(`
    update message set created_at = facteur_now() - interval '${hours} hours' where id = '${id}';
    update recipient set status = '${status}', state = '${status === 'queued' ? 'pending' : 'settled'}',
      settled_at = facteur_now() - interval '${hours} hours' where message_id = '${id}'`)
}
const [oldest, queued, delivered, bounced, newest] = ids
const page: LogPage = { max: 10, status: 'bounced', before: null, since: null }

test('a window has the newest messages alone, and ends at the last of them', async () => {
  const within = async (window: number, of = workspace) =>
    (await newestOfStatus(db, of.id, page, window)).map(({ id }) => id)
  assert.deepEqual(await within(2), [bounced])
  assert.deepEqual(await within(5), [bounced, oldest])
  assert.deepEqual(await within(5, other), [])
  const end = await endOfLogWindow(db, workspace.id, page, 2)
  assert.equal(end?.id, bounced)
  assert.deepEqual(
    (await newestOfStatus(db, workspace.id, { ...page, before: end }, 5)).map(({ id }) => id),
    [oldest],
    'the next window begins behind it',
  )
  assert.equal(await endOfLogWindow(db, workspace.id, page, 6), null, 'the log is at its end')
  assert.equal(await endOfLogWindow(db, other.id, page, 1), null)
})

test('a window of the index ends at the same places, once the index has the messages', async () => {
  assert.equal(await endOfIndexed(db, workspace.id, page, 1), null)
  const query = new ScanMark(service.clock)
  for (let isWhole = false; !isWhole;)
    isWhole = await indexMessages(service, { workspaceId: workspace.id, scan: query })
  for (const window of [1, 3, 5, 6])
    assert.deepEqual(
      await endOfIndexed(db, workspace.id, page, window),
      await endOfLogWindow(db, workspace.id, page, window),
    )
  assert.equal(await endOfIndexed(db, other.id, page, 1), null)
})

test('each status names its messages, those of the workspace alone', async () => {
  const named = async (status: (typeof statuses)[number], of = workspace) =>
    (await namedByStatus(db, of.id, status, 10)).toSorted()
  assert.deepEqual(await named('bounced'), [oldest, bounced].toSorted())
  assert.deepEqual(await named('queued'), [queued])
  assert.deepEqual(await named('delivered'), [delivered])
  assert.deepEqual(await named('sent'), [newest])
  assert.deepEqual(await named('sent', other), [])
  assert.equal((await namedByStatus(db, workspace.id, 'bounced', 1)).length, 1)
})

test('of expired messages those stay that a recipient still waits for', async () => {
  const request = {
    // All of them are older.
    since: new Date(Date.now() + 3_600_000),
    ...{ before: null, until: null, after: null, recipient: null },
  }
  assert.deepEqual(await stayingMessages(db, workspace.id, request), [queued])
  await world.run(
    `update recipient set settled_at = facteur_now() + interval '2 hours' where message_id = '${delivered}'`,
  )
  const staying = async (recipient: string | null) =>
    (await stayingMessages(db, workspace.id, { ...request, recipient })).toSorted()
  assert.deepEqual(await staying(null), [queued, delivered].toSorted(), 'or that ended since then')
  assert.deepEqual(await staying('reader2@example.com'), [queued, delivered].toSorted())
  assert.deepEqual(await staying('reader0@example.com'), [queued], 'the caller filters what waits')
  assert.deepEqual(await stayingMessages(db, other.id, request), [])
})
