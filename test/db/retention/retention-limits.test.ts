/** How long data is stored: the shorter of two limits, and what expired once stays expired. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  defaultLimitsFrom,
  installationRetention,
  setInstallationRetention,
  setWorkspaceRetention,
  shortenedWorkspaces,
  workspaceRetention,
} from '../../../src/db/retention/retention-limits.ts'
import { retentionClassNames, retentionClasses } from '../../../src/contract/retention.ts'
import { freshDatabase, moveClock, runOn, stopClock } from '../../support/database.ts'

const { url, connection: db } = await freshDatabase()
const [acme, other] = [1, 2]
const bodiesOf = async (workspace: number) => (await workspaceRetention(db, workspace)).bodies

test('without a setting each class has the default of the contract', async () => {
  await stopClock(url, '2026-03-31T12:00:00.000Z')
  const limits = await installationRetention(db)
  assert.deepEqual(
    Object.entries(limits).map(([name, { days }]) => [name, days]),
    retentionClassNames.map((name) => [name, retentionClasses[name].daysDefault]),
  )
  assert.deepEqual(limits.bodies.before, new Date('2026-03-01T12:00:00.000Z'))
  assert.partialDeepStrictEqual(limits.messages, { days: null, before: null })
})

test("the shorter of the operator's and the owner's limit applies, and raising the operator's does not lengthen the owner's", async () => {
  await stopClock(url, '2026-03-31T12:00:00.000Z')
  await setWorkspaceRetention(db, acme, 'bodies', 20)
  assert.partialDeepStrictEqual(await bodiesOf(acme), {
    ...{ days: 20, installationDays: 30, ownDays: 20 },
    before: new Date('2026-03-11T12:00:00.000Z'),
  })
  assert.deepEqual((await bodiesOf(other)).days, 30)
  assert.deepEqual(await shortenedWorkspaces(db), [
    { workspaceId: acme, class: 'bodies', before: new Date('2026-03-11T12:00:00.000Z') },
  ])
  await setInstallationRetention(db, 'bodies', 10)
  assert.equal((await bodiesOf(acme)).days, 10)
  assert.deepEqual(await shortenedWorkspaces(db), [])
  await setInstallationRetention(db, 'bodies', null)
  assert.equal((await bodiesOf(acme)).days, 20)
  assert.equal((await bodiesOf(other)).days, null)
})

test('a longer limit does not bring back what had expired', async () => {
  await stopClock(url, '2026-03-31T12:00:00.000Z')
  const expired = new Date('2026-03-21T12:00:00.000Z')
  assert.partialDeepStrictEqual((await installationRetention(db)).bodies, {
    days: null,
    before: expired,
  })
  await moveClock(url, '0 seconds')
  await stopClock(url, '2026-04-02T12:00:00.000Z')
  assert.deepEqual((await bodiesOf(other)).before, expired)
  await setWorkspaceRetention(db, acme, 'bodies', null)
  assert.partialDeepStrictEqual(await bodiesOf(acme), {
    ...{ days: null, installationDays: null, ownDays: null },
    before: new Date('2026-03-21T12:00:00.000Z'),
  })
  await setInstallationRetention(db, 'messages', 40)
  await setInstallationRetention(db, 'messages', 60)
  assert.deepEqual(
    (await installationRetention(db)).messages.before,
    new Date('2026-02-21T12:00:00.000Z'),
  )
})

test('an upgraded installation: a default limit applies a week later, one that somebody set at once', async (t) => {
  const fresh = await freshDatabase(t)
  const after = async (time: string) => {
    await stopClock(fresh.url, time)
    const limits = await workspaceRetention(fresh.connection, acme)
    return [limits.bodies.before, limits.events.before, limits.captured.before]
  }
  await runOn(
    fresh.url,
    `insert into installation (master_key_fingerprint, created_at, retention_from) values ('', facteur_now(), '2026-04-07T12:00:00Z')`,
  )
  await stopClock(fresh.url, '2026-03-31T12:00:00Z')
  await setInstallationRetention(fresh.connection, 'events', 20)
  await setWorkspaceRetention(fresh.connection, acme, 'captured', 5)
  assert.deepEqual(await after('2026-04-07T11:59:59Z'), [
    null,
    new Date('2026-03-18T11:59:59Z'),
    new Date('2026-04-02T11:59:59Z'),
  ])
  const stored = await runOn(
    fresh.url,
    `select facteur_stored_since(1, 'bodies', 30) as bodies, facteur_stored_since(1, 'captured', 7) as captured`,
  )
  assert.deepEqual(stored.rows, [{ bodies: null, captured: new Date('2026-04-02T11:59:59Z') }])
  // A longer limit that is set in time hides nothing.
  await setInstallationRetention(fresh.connection, 'bodies', 60)
  assert.deepEqual(await after('2026-04-07T12:00:00Z'), [
    new Date('2026-02-06T12:00:00Z'),
    new Date('2026-03-18T12:00:00Z'),
    new Date('2026-04-02T12:00:00Z'),
  ])
  assert.equal(await defaultLimitsFrom(fresh.connection), null)
})
