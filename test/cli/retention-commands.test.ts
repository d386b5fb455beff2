/**
 * `facteur retention …`: what a limit deletes is said before it is set, and what cannot be set is
 * refused.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { sampleDisk } from '../../src/db/retention/disk-by-class.ts'
import { makeIds } from '../../src/ground/ids.ts'
import { freshDatabase } from '../support/database.ts'
import { createOperator } from './facteur.ts'

const { url, connection: db } = await freshDatabase()
const operator = createOperator({
  DATABASE_URL: url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
})
await operator.json(['workspace', 'create', 'Shop'])
await operator.json(['workspace', 'create', 'Other'])
const idOf = (slug: string): Promise<number> =>
  db.onlyValue<number>(sql`select id from workspace where slug = ${slug}`)
const dayMs = 86_400_000
const daysAgo = (days: number): string => makeIds(() => Date.now() - days * dayMs)()

test('show lists each class with its limit, the default and what has expired', async () => {
  const text = await operator.text(['retention', 'show'])
  assert.match(text, /^CLASS +STORED +DEFAULT +EXPIRED BEFORE/)
  assert.match(text, /\nbodies +30 days +30 days +20\d\d-/)
  assert.match(text, /\nmessages +for ever +for ever/)
  await sampleDisk(db)
  const { data } = JSON.parse(JSON.stringify(await operator.json(['retention', 'show'])))
  assert.ok(data[0].bytes > 0)
  const ofShop = await operator.text(['retention', 'show', '--workspace', 'shop'])
  assert.match(ofShop, /^CLASS +STORED +INSTALLATION +OWN LIMIT/)
})

test('set says how much it deletes, and deletes nothing that it was not asked for', async () => {
  const [shop, other] = [await idOf('shop'), await idOf('other')]
  for (const [workspaceId, days] of [
    [shop, 10],
    [shop, 12],
    [shop, 40],
    [other, 10],
  ] as const)
    await db.count(
      sql`insert into message_body (workspace_id, message_id, text) values (${workspaceId}, ${daysAgo(days)}, '')`,
    )
  const line = ['retention', 'set', 'bodies', '7', '--workspace', 'shop']
  await operator.refused(line, {
    ...{ code: 'usage', exit: 2 },
    message:
      /^bodies of shop: 30 days becomes 7 days\. 2 messages' texts and files are deleted for good\..* give --yes/,
  })
  assert.match(
    await operator.text(['retention', 'show', '--workspace', 'shop']),
    /\nbodies +30 days +30 days +20/,
  )
  assert.equal(
    await operator.text([...line, '--yes']),
    "bodies of shop: stored for 7 days. 2 messages' texts and files can no longer be read, and are deleted afterwards: docs/retention.md says when.\n",
  )
  assert.match(
    await operator.text(['retention', 'show', '--workspace', 'shop']),
    /\nbodies +7 days +30 days +7 days/,
  )
  assert.partialDeepStrictEqual(
    await operator.json(['retention', 'set', 'bodies', '11', '--yes']),
    {
      ...{ id: 'bodies', workspace_id: null, days: 11, days_before: 30, rows_deleted: 1 },
    },
  )
  assert.partialDeepStrictEqual(
    await operator.json(['retention', 'set', 'bodies', 'default', '--workspace', 'shop']),
    {
      ...{ days: 11, days_before: 7, rows_deleted: 0 },
    },
  )
})

test("the audit log of each workspace names the operator's change", async () => {
  await operator.json(['retention', 'set', 'audit_log', 'forever'])
  const rows = await db.rows(sql`
    select w.slug, a.who, a.subject, a.details from audit_log a join workspace w on w.id = a.workspace_id
    where a.act = 'retention.changed' and a.subject = 'audit_log' order by w.slug`)
  assert.deepEqual(
    rows,
    ['other', 'shop'].map((slug) => ({
      ...{ slug, who: 'command line', subject: 'audit_log' },
      details: { days: 'forever', before: 730 },
    })),
  )
})

test('an unknown class, a limit below the smallest and one above the installation are refused in one line', async () => {
  const refused = (line: string[], message: RegExp, code = 'usage') =>
    operator.refused(['retention', 'set', ...line], {
      code,
      exit: code === 'usage' ? 2 : 1,
      message,
    })
  await refused(['boddies', '7'], /"boddies" is none of .*did you mean bodies\?/)
  await refused(['delivery_details', '7'], /^delivery_details is stored for at least 31 days\.$/m)
  await refused(['events', 'soon'], /"soon" is neither a whole number of days/)
  await refused(['events', 'forever', '--workspace', 'shop'], /can only shorten/)
  await refused(
    ['events', '31', '--workspace', 'shop'],
    /stores events for 30 days, and a workspace can only shorten/,
    'refused',
  )
})
