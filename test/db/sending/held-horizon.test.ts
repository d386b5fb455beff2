/**
 * While a foreign transaction stays open, PostgreSQL keeps every dead row version and its index entries. The hot statements must not
 * pass those of earlier work again (docs/decisions/0052-a-held-horizon.md). The tests count blocks, not time.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import pg from 'pg'
import { connect } from '../../../src/db/connection/connect.ts'
import { admitUnits } from '../../../src/db/sending/admissions.ts'
import { claimRecipients, isDoubtOverdue } from '../../../src/db/sending/claims.ts'
import { msUntilWork } from '../../../src/db/sending/due.ts'
import { recordOutcomes } from '../../../src/db/sending/outcomes.ts'
import { freshDatabase, moveClock, runOn } from '../../support/database.ts'
import { blocksOf, Session, statementsOf, type Acts } from '../../support/plans.ts'

const workspaceId = 1
const groups = 25
const groupSize = 60
const rules = {
  ...{ repeat: true, retryFirstSeconds: 60, retryMaxSeconds: 14_400, queueLifeSeconds: 172_800 },
  ...{ pendingSeconds: 1, silenceSeconds: 900 },
}
const room = { max: groupSize, bytesMax: 1e9, leaseSeconds: 90 }

const { url } = await freshDatabase()
await runOn(
  url,
  `insert into plan values ('default', null);
   insert into workspace (id, slug, name, plan, created_at) values (1, 'held', 'held', 'default', facteur_now());
   insert into domain values (1, 'held.test', 'verified', facteur_now(), facteur_now())`,
)
const db = connect({ connectionString: url, poolSize: 1 })
const session = new Session(url)
after(() => Promise.all([db.end(), session.end()]))

const unit = () => {
  const address = `${randomUUID()}@example.com`
  const message = {
    ...{ id: randomUUID(), fromDomain: 'held.test', head: '{}', subject: 'x', tags: null, messageId: 'x', scheduledAt: null },
    ...{ html: 'x', text: null, attachments: [] },
    recipients: [{ kind: 'to' as const, email: address, key: address, inline: false }],
  }
  return { idempotency: null, apiKeyId: null, messages: [message] }
}
const admit = (count: number) =>
  admitUnits(db, workspaceId, Array.from({ length: count }, unit), { inlineSeconds: 10, leaseSeconds: 90 })

/** Sends a group: admission, claim, outcome. Each row leaves a dead entry where it was pending and where it was leased. */
async function sendGroup(): Promise<void> {
  await admit(groupSize)
  const { claimed } = await claimRecipients(db, workspaceId, 'transactional', room)
  assert.equal(claimed.length, groupSize)
  const sent = { event: 'sent' as const, error: null, response: '250', copy: null }
  await recordOutcomes(
    db,
    workspaceId,
    claimed.map((row) => ({ ...row, ...sent })),
    rules,
  )
}

/** Blocks that the single statement of an act reads. */
async function blocks(act: Acts[string]): Promise<number> {
  const [planned] = await statementsOf({ act }, [{ next: new Date(), passedTo: new Date() }])
  return blocksOf(await session.explain(planned?.statement ?? assert.fail('no statement')))
}

test('a claim, a search for lost claims and the next due time pass nothing that earlier looks have passed', async () => {
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select txid_current()')
  await sendGroup()
  for (let group = 1; group < groups; group++) await sendGroup()
  // Their leases would have ended by now, and the marks of a worker are behind all of this.
  await moveClock(url, '5 minutes')
  const { claimed, passedTo } = await claimRecipients(db, workspaceId, 'transactional', { ...room })
  const checked = await isDoubtOverdue(db, workspaceId, 'transactional')
  assert.deepEqual([claimed.length, checked.overdue], [0, false])
  await admit(1)
  const looks = (from: Date | null) => ({
    claim: (of: typeof db) => claimRecipients(of, workspaceId, 'transactional', { ...room, from }),
    check: (of: typeof db) => isDoubtOverdue(of, workspaceId, 'transactional', from && checked.passedTo),
    next: (of: typeof db) =>
      msUntilWork(of, workspaceId, 'transactional', { claimed: from, checked: from && checked.passedTo, fullInSeconds: 5 }),
  })
  for (const [name, look] of Object.entries(looks(passedTo))) {
    const full = looks(null)[name as keyof ReturnType<typeof looks>]
    const [read, readInFull] = [await blocks(look), await blocks(full)]
    assert.ok(read <= 60, `${name} read ${read} blocks`)
    assert.ok(readInFull > 2 * read, `${name} in full read ${readInFull} blocks, where ${read} were expected to be few`)
  }
  await holder.end()
})
