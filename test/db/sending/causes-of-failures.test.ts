/**
 * The cause of a failure is a value beside its text, also where a process of the previous version
 * writes the text alone.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrationsFolder } from '../../../src/db/connection/migration-files.ts'
import { sql } from '../../../src/db/connection/sql.ts'
import { startApi } from '../../support/api.ts'
import { sentCampaign } from '../../support/tracking-world.ts'

const api = await startApi({ workers: false })
const workspace = await api.workspace('causes')
const { db } = api.service

/** The texts that the versions before wrote, and the causes that they stand for. */
const causes = {
  cancelled: 'cancelled',
  erased: 'erased',
  'suppressed: complaint': 'suppressed',
  'parked: its hand-off ended its worker three times': 'parked',
  'gave up after the last temporary refusal: 451 later': 'spent',
  'in doubt: handed over without an answer, and no delivery report arrived since': 'doubt_ended',
  '550 5.1.1 no such user': 'refused',
}
const texts = Object.keys(causes)

const tables = {
  recipient: async () => {
    const id = api.service.makeId()
    await db.count(sql`
      insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at)
      select ${workspace.id}, ${id}, n, 'to', 'a@example.com', 'a@example.com', 'failed', 'settled', 'transactional', facteur_now()
      from generate_series(1, ${texts.length}) n`)
    return { name: 'recipient', of: `message_id = '${id}'`, order: 'position' }
  },
  campaign_recipient: async () => {
    const { id } = await sentCampaign(api, workspace, {
      people: texts.length,
      row: { status: 'failed' },
    })
    return { name: 'campaign_recipient', of: `campaign_id = '${id}'`, order: 'subscriber_id' }
  },
}

for (const [table, insert] of Object.entries(tables)) {
  test(`${table}: a text that is written without its cause gets it, and loses it with the text`, async () => {
    const { name, of, order } = await insert()
    await api.run(`update ${name} r set error = t.text
      from (select ctid, row_number() over (order by ${order}) as nth from ${name} where ${of}) o
      join unnest(array[${texts.map((text) => `'${text}'`).join(', ')}]) with ordinality t (text, nth) using (nth) where r.ctid = o.ctid`)
    assert.deepEqual(await causesOf(name, of), causes)
    await api.run(`update ${name} set error = null where ${of}`)
    assert.deepEqual(await causesOf(name, of), {})
  })

  test(`${table}: the rows of the version before get their causes by the migration`, async () => {
    const { name, of, order } = await insert()
    await api.run(`alter table ${name} disable trigger user`)
    await api.run(`update ${name} r set error = t.text
      from (select ctid, row_number() over (order by ${order}) as nth from ${name} where ${of}) o
      join unnest(array[${texts.map((text) => `'${text}'`).join(', ')}]) with ordinality t (text, nth) using (nth) where r.ctid = o.ctid`)
    await api.run(`alter table ${name} enable trigger user`)
    for (const block of readFileSync(
      join(migrationsFolder, '0044_causes_of_former_failures.sql'),
      'utf8',
    ).match(/^do \$\$[\s\S]*?^end \$\$;/gm) ?? [])
      await api.run(block)
    assert.deepEqual(await causesOf(name, of), causes)
  })
}

async function causesOf(name: string, of: string): Promise<Record<string, string>> {
  const statement = {
    name: '',
    text: `select error, cause from ${name} where ${of} and (error is not null or cause is not null)`,
    values: [],
  }
  return Object.fromEntries(
    (await db.rows<{ error: string; cause: string }>(statement)).map(({ error, cause }) => [
      error,
      cause,
    ]),
  )
}
