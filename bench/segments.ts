/**
 * How long counting a segment of three conditions takes at a million contacts, by `count(*)` of the
 * same table in the same run, in turns: a tag, a field and a date, with its sample too; and a tag, a
 * field and engagement, which a second table of a million rows tells. Above 3 either is a failure.
 */
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { Condition } from '../src/contract/segments.ts'
import { connect } from '../src/database/client/connect.ts'
import { sql, unprepared, type Statement } from '../src/database/client/sql.ts'
import { allowSweeps } from '../src/database/planner/allow-sweeps.ts'
import { migrate } from '../src/database/schema/migrate.ts'
import {
  countSelected,
  selectedBy,
  type Selection,
} from '../src/db/audience/segments/segment-members.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { median } from './accept/median.ts'
import { round } from './pages/figures.ts'
import { fill } from './scale/fill.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    size: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '9' },
  },
})

const ratioMax = 3
const timeoutMs = 60_000
const town = '00000000-0000-4000-8000-000000000001'

const context = {
  workspaceId: 1,
  fields: new Map([[town, { key: 'town', type: 'text' as const, choices: [] }]]),
  tags: new Map([['even', ['even']]]),
  undated: [],
  timeZone: 'Europe/Paris',
  at: new Date(),
}
const selectionOf = (third: Condition) => ({
  context,
  definition: { all: [{ tag: 'even' }, { field: town, is: 'lyon' }, third] },
})
const dated = selectionOf({ created: { within_days: 3650 } })
const opened = selectionOf({ opened: { within_days: 90, by: 'person' } })

const postgres = await startPostgres({ durable: true })
await migrate(postgres.connectionString)
const client = new pg.Client({ connectionString: postgres.connectionString })
await client.connect()
const db = connect({ connectionString: postgres.connectionString, poolSize: 1 })

try {
  await fill(client, Number(values.size))
  await client.query(`
    insert into subscriber_tag (workspace_id, name, created_at)
    select distinct 1, unnest(tags), facteur_now() from subscriber`)
  await client.query(`
    insert into subscriber_engagement (workspace_id, subscriber_id, received_at, opened_at, opened_directly_at)
    select 1, id, facteur_now(), facteur_now(), facteur_now() - (random() * 180) * interval '1 day'
    from subscriber where status = 'subscribed'`)
  await client.query('vacuum analyze subscriber, subscriber_engagement, subscriber_tag')
  const times: Record<'bare' | 'dated' | 'engaged' | 'sampled', number[]> = {
    bare: [],
    dated: [],
    engaged: [],
    sampled: [],
  }
  let contacts = 0
  for (let turn = 0; turn < Number(values.rounds); turn++) {
    const bare = sql`select count(*) as contacts from subscriber s where s.workspace_id = 1`
    times.bare.push(await msOf(bare))
    times.dated.push(await msOf(countOf(dated)))
    times.engaged.push(await msOf(countOf(opened)))
    const began = performance.now()
    const counted = await db.transaction((tx) =>
      countSelected(tx, { ...dated, sampleMax: 10, timeoutMs }),
    )
    times.sampled.push(performance.now() - began)
    contacts = counted.contacts
  }
  report({
    bare: median(times.bare),
    counted: median(times.dated),
    engaged: median(times.engaged),
    sampled: median(times.sampled),
    contacts,
  })
} finally {
  await db.end()
  await client.end()
  await postgres.stop()
}

/** In a transaction with the settings of counts. */
async function msOf(statement: Statement): Promise<number> {
  return db.transaction(async (tx) => {
    const long = await allowSweeps(tx, timeoutMs)
    const began = performance.now()
    await tx.rows(long(statement))
    return performance.now() - began
  })
}

function countOf(selection: Selection): Statement {
  return unprepared(sql`select count(*) as contacts from ${selectedBy(selection)}`)
}

type Figures = Record<'bare' | 'counted' | 'engaged' | 'sampled' | 'contacts', number>

function report({ bare, counted, engaged, sampled, contacts }: Figures): void {
  const ratio = round(counted / bare)
  const engagedRatio = round(engaged / bare)
  const say = (each: number): string =>
    `${each} (${each <= ratioMax ? 'within' : 'OVER'} ${ratioMax})`
  console.log(
    values.json
      ? JSON.stringify({ bench: 'segments', ratio, engagedRatio, bare, counted, sampled, contacts })
      : `${contacts} of ${values.size} contacts: ${round(counted, 0)} ms, count(*) ${round(bare, 0)} ms: ${say(ratio)}; with its sample ${round(sampled, 0)} ms; by engagement ${round(engaged, 0)} ms: ${say(engagedRatio)}`,
  )
  if (Math.max(ratio, engagedRatio) > ratioMax) process.exitCode = 1
}
