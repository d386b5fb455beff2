/**
 * A call that was refused whole is taken back once, and only if the refusal came within the time of
 * the call.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import { takeBackRefused } from '../../../src/db/sending/idempotency-keys.ts'
import { ask, assertRefused, type Answer } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { handedOver, post, startBeside, startRelayWorld } from '../../support/relay-world.ts'

const world = await startRelayWorld()
const other = await startBeside(world)

const keyed = (key: string) => ({ 'idempotency-key': key })
const isReplay = ({ headers }: Answer): boolean => headers.get('idempotent-replay') === 'true'

test('502: the quota of a refused call comes back once, whichever twin takes it back', async () => {
  const workspace = await world.workspace('back once')
  await handedOver(world, workspace, {
    to: Array.from({ length: 10 }, (_, index) => `used${index}@example.com`),
  })
  const used = async () =>
    at((await ask(world.baseUrl, 'GET /api/v1/me', { key: workspace.key })).body, 'quota', 'used')
  assert.equal(await used(), 10)
  world.answer((moment) => (moment.phase === 'rcpt' ? '550 5.0.0 no' : undefined))
  const twins = Array.from({ length: 6 }, (_, index) =>
    post(
      index % 2 ? other : world,
      workspace,
      { to: ['no1@example.com', 'no2@example.com'] },
      keyed('no'),
    ),
  )
  for (const answer of await Promise.all(twins)) assertRefused(answer, 'send_failed')
  world.answer(undefined)
  assert.equal(await used(), 10)
  const refused = await world.service.db.rows<{ id: string }>(sql`
    select id from message where workspace_id = ${workspace.id} and refused_at is not null`)
  assert.ok(refused.length > 0)
  for (const { id } of refused)
    assert.equal(await takeBackRefused(world.service.db, workspace.id, [id], null), true)
  assert.equal(await used(), 10)
})

test('a refusal that came after the time of the call takes nothing back: the call was accepted', async () => {
  const workspace = await world.workspace('late refusal')
  const id = await handedOver(world, workspace, { to: 'late@example.com' }, keyed('late'))
  const complete = (when: string) =>
    world.run(
      `update recipient r set status = 'failed', fence = 1, settled_at = m.inline_until + interval '${when}'
       from message m where m.id = r.message_id and m.id = '${id}'`,
    )
  await complete('1 millisecond')
  assert.equal(await takeBackRefused(world.service.db, workspace.id, [id], 'late'), false)
  assert.ok(isReplay(await post(world, workspace, { to: 'late@example.com' }, keyed('late'))))
  await complete('0 seconds')
  assert.equal(await takeBackRefused(world.service.db, workspace.id, [id], 'late'), true)
})
