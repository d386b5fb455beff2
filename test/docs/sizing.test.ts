/**
 * `docs/sizing.md`: each figure that the code decides is what the code decides; each that was
 * measured names what measures it.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { retentionClasses } from '../../src/contract/retention.ts'
import { sql } from '../../src/database/client/sql.ts'
import { roomWaitMs } from '../../src/entrypoints/api/read-body.ts'
import { processConnections } from '../../src/main/open-context.ts'
import { descriptorsMin } from '../../src/main/watch-descriptors.ts'
import { bodyBytesMax } from '../../src/ground/memory-bounds.ts'
import { freshDatabase } from '../support/database.ts'
import { here, startProgram } from '../support/service.ts'

const page = readFileSync(join(here, 'docs/sizing.md'), 'utf8')
const megabyte = 1024 * 1024

/** The numbers that the page says where the pattern has its groups. */
function output(pattern: RegExp): number[] {
  const [, ...match] = pattern.exec(page) ?? assert.fail(`the page does not say ${pattern}`)
  return match.map((text) => Number(text.replaceAll(',', '')))
}

test('bodies at once: the limit for each size of memory is that of the page', () => {
  const rows = [...page.matchAll(/^\| (\d+) (MB|GB) \| (\d+) MB \|$/gm)]
  assert.equal(rows.length, 4)
  for (const [, memory, unit, bodies] of rows) {
    const total = Number(memory) * (unit === 'GB' ? 1024 : 1) * megabyte
    assert.equal(
      Math.floor(bodyBytesMax({ total, heap: Infinity }) / megabyte),
      Number(bodies),
      `${memory} ${unit}`,
    )
  }
  assert.deepEqual(output(/come again after (\d+) seconds/), [roomWaitMs / 1000])
})

test('attachments and the bodies that carry them, in base64, are within the limits', () => {
  const rows = [...page.matchAll(/one attachment of (\d+) MB \(a body of (\d+) MB\)/g)]
  assert.equal(rows.length, 2)
  for (const [, file, body] of rows) {
    assert.equal(Number(body), Math.round((Number(file) * 4) / 3), `${file} MB`)
    assert.ok(
      Number(file) * megabyte <= limits.attachmentBytesMax &&
        Number(body) * megabyte <= limits.emailBodyBytes,
    )
  }
})

test('the size of a day, of bodies and of lines, and the length of a campaign, follow from the figures beside them', () => {
  const [row = 0] = output(/a message, its recipient and their indexes \| (\d+) KB/)
  const [mails = 0, text = 0, day] = output(
    /So ([\d,]+) mails a day with (\d+) KB of HTML take (\d+) MB a day/,
  )
  assert.equal(day, (mails * (row + text)) / 1000)
  const { bodies, messages } = retentionClasses
  assert.deepEqual(output(/Bodies and attachments are deleted after (\d+) days/), [
    bodies.daysDefault,
  ])
  assert.equal(messages.daysDefault, null)
  const volumes = [...page.matchAll(/^\| ([\d,]+) \| ([\d.]+) GB \| ([\d.]+) GB \|$/gm)]
  assert.equal(volumes.length, 3)
  for (const [, count = '', ofBodies, ofLines] of volumes) {
    const each = Number(count.replaceAll(',', '')) / 1_000_000
    assert.deepEqual(
      [Number(ofBodies), Number(ofLines)],
      [each * text * bodies.daysDefault, each * row * 365],
    )
  }
  const [days = 0, many = 0, lines] = output(
    /retention set messages (\d+)` stores ([\d,]+) mails a day in (\d+) GB/,
  )
  assert.equal(lines, (many * row * days) / 1_000_000)
  const [campaign = 0, rate = 1, minutes] = output(
    /a campaign of ([\d,]+) mails at (\d+) a second takes (\d+) minutes/,
  )
  assert.equal(minutes, Math.round(campaign / rate / 60))
})

test('the write-ahead log is what PostgreSQL keeps it to', async (t) => {
  const { connection } = await freshDatabase(t)
  const [row] = await connection.rows<{ size: string }>(
    sql`select current_setting('max_wal_size') as size`,
  )
  assert.deepEqual(output(/write-ahead log of PostgreSQL \| up to (\d+) GB/), [
    Number(row?.size.replace('GB', '')),
  ])
})

test('connections: no more than the page says, however many callers there are', async (t) => {
  const [max = 0] = output(/Each process opens at most (\d+) connections/)
  assert.equal(
    Object.values(processConnections).reduce((sum, processConnection) => sum + processConnection),
    max,
  )
  const { url, connection } = await freshDatabase(t)
  const service = await startProgram(t, {
    env: { DATABASE_URL: url, FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') },
  })
  await service.saying('Facteur is ready')
  let observed = 0
  const over = new AbortController()
  const calls = Promise.all(
    Array.from({ length: 60 }, async () => {
      for (let call = 0; call < 20; call++)
        await (await fetch(`http://127.0.0.1:${service.port}/readyz`)).arrayBuffer()
    }),
  ).finally(() => over.abort())
  while (!over.signal.aborted) {
    const [row] = await connection.rows<{ open: number }>(sql`
      select count(*)::int as open from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`)
    observed = Math.max(observed, row?.open ?? 0)
  }
  await calls
  t.diagnostic(`${observed} open`)
  assert.ok(observed > 1 && observed <= max, `${observed} open`)
})

test('descriptors: as the unit has them, and more than a start warns of', () => {
  const unit = /LimitNOFILE=(\d+)/.exec(
    readFileSync(join(here, 'deploy/systemd/facteur.service'), 'utf8'),
  )?.[1]
  assert.deepEqual(output(/LimitNOFILE=(\d+)` in the unit, or `ulimit -n (\d+)`/), [
    Number(unit),
    Number(unit),
  ])
  assert.ok(Number(unit) >= descriptorsMin)
})

test('the benches and the test that measure the other figures exist', () => {
  const benches = [...page.matchAll(/npm run bench -- ([\w-]+)/g)].map(([, name = '']) => name)
  assert.deepEqual(benches.toSorted(), ['accept', 'campaign', 'sizing', 'sizing'])
  for (const name of benches) assert.ok(existsSync(join(here, 'bench', `${name}.ts`)), name)
  const [, file = ''] = /npm test -- (\S+\.ts)/.exec(page) ?? assert.fail('no test is named')
  assert.ok(existsSync(join(here, file)))
})
