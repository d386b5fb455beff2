/**
 * The due table is complete: it points at all waiting work while admissions, claims and deferrals
 * run at the same time.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeRules } from '../../../src/core/sending/record-outcome.ts'
import { claimRecipients } from '../../../src/db/sending/claims.ts'
import { connect } from '../../../src/database/client/connect.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { raiseDue } from '../../../src/db/sending/due.ts'
import { recordOutcomes, type OutcomeRow } from '../../../src/db/sending/outcomes.ts'
import { startWorkers } from '../../../src/entrypoints/workers/start-workers.ts'
import { startApi } from '../../support/api.ts'
import { ask, textAt } from '../../support/ask.ts'
import { accepted } from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

const mailsEnough = 500
const api = await startApi({
  workers: false,
  settings: { retryFirstSeconds: 0.2, retryMaxSeconds: 1, leaseSeconds: 2 },
})
const { service, database } = api
const workspaces = await Promise.all(
  ['one', 'two', 'three', 'four'].map((name) => api.workspace(name)),
)

/** Rows that wait while nothing points at their workspace in time. */
async function forgotten(): Promise<unknown[]> {
  return service.db.rows(sql`
    select r.workspace_id, r.state, min(r.next_at) as next_at, d.next_at as due_at
    from recipient r left join due d on d.workspace_id = r.workspace_id and d.lane = r.lane
    where r.workspace_id = any (${workspaces.map(({ id }) => id)}::bigint[]) and r.state <> 'settled'
    group by r.workspace_id, r.state, d.next_at having d.next_at is null or d.next_at > greatest(min(r.next_at), facteur_now())`)
}

const pick = <T>(list: readonly T[]): T =>
  list[Math.floor(Math.random() * list.length)] ?? assert.fail('nothing to pick')

test(`${mailsEnough} mails with everything at once, then workers alone: all is delivered, and no pause finds work without its due row`, async () => {
  const processes = Array.from({ length: 3 }, () =>
    connect({ connectionString: database.url, poolSize: 3 }),
  )
  const isEnough = (): boolean => mails >= mailsEnough
  let mails = 0
  const forAWhile = async (act: () => Promise<unknown>): Promise<void> => {
    while (!isEnough()) await act()
  }
  const addresses = ['a@example.com', 'deferred@simulator.test', 'b@example.com']
  const admit = async (): Promise<void> => {
    const scheduled =
      Math.random() < 0.3
        ? { scheduled_at: new Date(Date.now() + Math.random() * 3000).toISOString() }
        : {}
    await accepted(api, pick(workspaces), { to: pick(addresses), ...scheduled })
    mails++
  }
  const reschedule = async (): Promise<void> => {
    const workspace = pick(workspaces)
    const listed = await ask(api.baseUrl, 'GET /api/v1/emails?status=queued&limit=20', {
      key: workspace.key,
    })
    if ((listed.body as { data: unknown[] }).data.length === 0) return
    const id = textAt(listed, 'data', '0', 'id')
    const body = { scheduled_at: new Date(Date.now() + Math.random() * 3000).toISOString() }
    const answer = await ask(api.baseUrl, `PATCH /api/v1/emails/${id}`, {
      key: workspace.key,
      body,
    })
    assert.ok(answer.status === 200 || answer.status === 409, JSON.stringify(answer.body))
  }
  const work = async (): Promise<void> => {
    const db = pick(processes)
    const { id } = pick(workspaces)
    const { claimed } = await claimRecipients(db, id, 'transactional', {
      max: 5,
      bytesMax: 1e9,
      leaseSeconds: 2,
    })
    const events: OutcomeRow['event'][] = ['sent', 'deferred', 'returned', 'in_doubt', 'failed']
    // One in ten is lost with its worker.
    const outcomes = claimed
      .filter(() => Math.random() > 0.1)
      .map(({ messageId, position, fence }) => ({
        messageId,
        position,
        fence,
        event: pick(events),
        error: 'x',
        response: 'x',
        copy: null,
      }))
    if (outcomes.length > 0) await recordOutcomes(db, id, outcomes, outcomeRules(service, id))
  }
  const raise = async (): Promise<void> => {
    await raiseDue(pick(processes), pick(workspaces).id, 'transactional')
  }
  await Promise.all(
    [admit, admit, admit, reschedule, work, work, work, work, raise, raise, raise].map(forAWhile),
  )
  for (const { id } of workspaces) await raiseDue(service.db, id, 'transactional')
  assert.deepEqual(await forgotten(), [])

  const workers = startWorkers(service)
  try {
    const open = () =>
      service.db.rows(sql`
          select workspace_id, status, state, attempts from recipient
          where workspace_id = any (${workspaces.map(({ id }) => id)}::bigint[]) and state in ('pending', 'leased')`)
    await until(open, ({ length }) => length === 0)
  } finally {
    await workers.stop(5_000)
  }
  assert.deepEqual(await forgotten(), [])
  for (const process of processes) await process.end()
})

test('an admission and raises at the same moment, many times: the due time covers the admitted mail', async () => {
  const processes = Array.from({ length: 3 }, () =>
    connect({ connectionString: database.url, poolSize: 2 }),
  )
  const workspace = workspaces[0] ?? assert.fail()
  for (let round = 0; round < 150; round++) {
    // Something is due later, so that there is a row to be raised; what comes now must lower it.
    await api.run(`update recipient set state = 'settled' where workspace_id = ${workspace.id}`)
    const raises = processes.flatMap((db) => [
      raiseDue(db, workspace.id, 'transactional'),
      raiseDue(db, workspace.id, 'transactional'),
    ])
    await Promise.all([accepted(api, workspace), ...raises])
    assert.deepEqual(await forgotten(), [], `round ${round}`)
  }
  for (const process of processes) await process.end()
})

test('without any raise, the due time covers admitted, moved and deferred mail', async () => {
  const workspace = await api.workspace('pointed at')
  const pointed = async (): Promise<number | undefined> => {
    const [row] = await service.db.rows<{ seconds: number }>(sql`
      select extract(epoch from next_at - facteur_now())::float8 as seconds from due where workspace_id = ${workspace.id} and lane = 'transactional'`)
    return row?.seconds
  }
  const id = await accepted(api, workspace, {
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  assert.ok(((await pointed()) ?? 0) > 3_500)
  const move = (ahead: number) =>
    ask(api.baseUrl, `PATCH /api/v1/emails/${id}`, {
      key: workspace.key,
      body: { scheduled_at: new Date(Date.now() + ahead * 1000).toISOString() },
    })
  await move(600)
  assert.ok(((await pointed()) ?? 9_999) < 601)
  await raiseDue(service.db, workspace.id, 'transactional')
  assert.ok(((await pointed()) ?? 0) > 500)
  await accepted(api, workspace)
  assert.ok(((await pointed()) ?? 9_999) <= 0)
  await api.run(`delete from due where workspace_id = ${workspace.id}`)
  await raiseDue(service.db, workspace.id, 'transactional')
})
