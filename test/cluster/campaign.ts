/**
 * A campaign of 20,000 on a cluster: each of the list has one mail, and the tables that say so are
 * on a node.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { playOnce } from '../faults/scenario.ts'
import { ADMIN_URL } from '../support/database.ts'
import {
  checkCampaign,
  checkCounters,
  draftFor,
  readRecipients,
  sendUntilAnswered,
  whatIsNotSent,
} from '../support/fault-campaign.ts'
import { restartPort } from '../support/fault-port.ts'
import { openWorld } from '../support/fault-world.ts'

const contacts = 20_000

test(`a campaign of ${contacts} of a cell on another node: each of its list has one mail, and its counters agree`, () =>
  playOnce(async (run) => {
    const world = await openWorld(run)
    const port = await restartPort()
    await world.start({ role: 'api', port, smtpUrl: null })
    await world.start({ role: 'worker' })
    const id = await draftFor(world, { port, contacts })
    const end = await sendUntilAnswered(world, port, id)
    assert.equal(typeof end === 'string' ? end : end.status, 202)
    const recipients = await readRecipients(world, id)
    assert.equal(recipients.length, contacts)
    assert.deepEqual(await whatIsNotSent(world, id, 420_000), [])
    const frozen = new Set(recipients.map(({ email }) => email))
    assert.deepEqual(checkCampaign(await readRecipients(world, id), frozen, world.mails()), [])
    assert.deepEqual(await checkCounters(world, id), [])
    const ports = await world.db.column<number>(sql`
      select distinct nodeport from citus_shards where table_name = 'campaign_recipient'::regclass`)
    assert.equal(ports.length, 1)
    assert.notEqual(String(ports[0]), new URL(process.env[ADMIN_URL] ?? '').port)
  }))
