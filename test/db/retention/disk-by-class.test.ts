/**
 * The disk by class of data: what each takes, how it grows, and when it is full; the doctor warns
 * two weeks ahead.
 */
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { statfsSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import {
  diskByClass,
  diskUsage,
  growthOf,
  sampleDisk,
  secondsUntilFull,
  totalOf,
} from '../../../src/db/retention/disk-by-class.ts'
import { homeCell } from '../../../src/database/cells/cell-changes.ts'
import type { EachCell } from '../../../src/entrypoints/cli/doctor/check.ts'
import { checkGrowth } from '../../../src/entrypoints/cli/doctor/check-growth.ts'
import { freshDatabase, moveClock } from '../../support/database.ts'
import { until } from '../../support/until.ts'

const { url, connection: db } = await freshDatabase()
const bytesOf = async (name: string): Promise<number> =>
  (await diskByClass(db)).find((sample) => sample.class === name)?.bytes ?? 0
await db.count(sql`insert into plan (name) values ('p')`)
await db.count(
  sql`insert into workspace (id, slug, name, plan, created_at) values (1, 'w', 'W', 'p', facteur_now())`,
)
const here = { databaseUrl: null, dataFolder: tmpdir() }
const free = (): number => {
  const { bavail, bsize } = statfsSync(tmpdir())
  return bavail * bsize
}

test('each class counts its tables with their partitions, indexes and long values', async () => {
  const before = await bytesOf('bodies')
  await db.count(sql`
    insert into message_body (workspace_id, message_id, text)
    select 1, facteur_event_id(facteur_now(), n), (select string_agg(md5(random()::text), '') from generate_series(1, 300 + n * 0))
    from generate_series(1, 200) n`)
  assert.ok((await bytesOf('bodies')) - before > 1_000_000, 'ten kilobytes each')
  const total = await db.onlyValue<number>(sql`
    select sum(pg_total_relation_size(oid))::float8 from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`)
  assert.equal(totalOf(await diskByClass(db)), total)
})

test('a sample each hour and one row a day: less than a day tells no growth, seven days tell it net of what was deleted', async () => {
  await sampleDisk(db)
  assert.equal((await diskUsage(db)).bytesPerDay, null)
  const first = totalOf((await diskUsage(db)).classes)
  await db.count(sql`insert into audit_log (workspace_id, id, who, act, subject, details, created_at)
    select 1, gen_random_uuid(), '', '', repeat('x', 500), '{}', facteur_now() from generate_series(1, 2000)`)
  await sampleDisk(db)
  assert.equal(totalOf((await diskUsage(db)).classes), first, 'an hour has not passed')
  await moveClock(url, '7 days')
  await sampleDisk(db)
  const { classes, bytesPerDay } = await diskUsage(db)
  const grown = totalOf(classes) - first
  assert.ok(grown > 1_000_000)
  assert.ok(Math.abs((bytesPerDay ?? 0) - grown / 7) < grown / 1_000, `${bytesPerDay} of ${grown}`)
  await moveClock(url, '0')
})

test('the forecast: at a rate, without growth, and with the disk full already', () => {
  const day = 86_400
  assert.equal(
    growthOf([
      { seconds: 0, bytes: 100 },
      { seconds: day / 2, bytes: 300 },
    ]),
    null,
  )
  assert.equal(
    growthOf([
      { seconds: 0, bytes: 100 },
      { seconds: day, bytes: 900 },
      { seconds: 4 * day, bytes: 500 },
    ]),
    100,
  )
  assert.equal(secondsUntilFull(1_400, 100), 14 * day)
  assert.equal(secondsUntilFull(1_400, -5), null)
  assert.equal(secondsUntilFull(1_400, null), null)
  assert.equal(secondsUntilFull(-1, 100), 0)
})

const oneCell: EachCell = (inCell) => inCell(db, homeCell)

test('doctor warns where the disk is full within 14 days, with the class to shorten; an external disk is not known', async () => {
  await moveClock(url, '7 days')
  const { bytesPerDay } = await diskUsage(db)
  assert.ok(bytesPerDay)
  // Other tests write to the same disk between the two looks at it.
  const soon = await until(
    () => checkGrowth(db, oneCell, { ...here, diskFreeMin: free() - 10 * bytesPerDay }),
    ({ status }) => status === 'warning',
  )
  assert.match(
    soon.message,
    /of data \(.*bodies \d.* MB.*\); it grows by .* a day; at this rate nothing new is accepted in \d+ days?/,
  )
  assert.match(soon.next ?? '', /^Store less: facteur .*; or move the data folder/)
  assert.match(soon.next ?? '', /facteur retention set \w+ DAYS \([^)]*, stored for \d+ days\)/)
  assert.match(soon.next ?? '', /facteur retention set messages DAYS \([^)]*, stored for ever\)/)
  assert.equal((await checkGrowth(db, oneCell, { ...here, diskFreeMin: 0 })).status, 'ok')
  const external = await checkGrowth(db, oneCell, {
    databaseUrl: url,
    dataFolder: '',
    diskFreeMin: 0,
  })
  assert.equal(external.status, 'ok')
  assert.match(external.message, /the size of the external database's disk is not known here$/)
})
