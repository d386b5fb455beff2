/**
 * A database that is away for ten minutes while mail and a campaign leave: callers are told to come
 * back, and what was accepted goes on.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDatabase, moveClock } from '../support/database.ts'
import { startProxy } from '../support/database-proxy.ts'
import { acceptedId, call, callUntilAnswered, describeEnd } from '../support/fault-calls.ts'
import {
  addressOf,
  checkCampaign,
  draftFor,
  readRecipients,
  sendUntilAnswered,
  whatIsNotSent,
} from '../support/fault-campaign.ts'
import { checkMails, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { checkLoad, startLoad } from '../support/fault-load.ts'
import { restartPort } from '../support/fault-port.ts'
import { mailTo, openWorld } from '../support/fault-world.ts'
import { until } from '../support/until.ts'
import { playOnce } from './scenario.ts'

const contacts = 200

test('ten minutes away: every call is 503 with Retry-After, nothing accepted is lost, and what came due leaves when it is back', () =>
  playOnce(async (run) => {
    const database = await freshDatabase(run)
    const proxy = await startProxy(run, database.url)
    const world = await openWorld(run, { database: { ...database, url: proxy.url } })
    const port = await restartPort()
    const service = await world.start({
      role: 'all',
      port,
      settings: { FACTEUR_RATE_PER_SECOND: 60 },
    })
    const requested = { url: world.addressOf(port), apiKey: world.apiKey }
    const post = { ...requested, line: 'POST /api/v1/emails' }
    const due = new Date(Date.now() + 5 * 60_000).toISOString()
    const scheduled = await call({
      ...post,
      body: { ...mailTo(world, 'scheduled@example.test'), scheduled_at: due },
    })
    assert.ok(acceptedId(scheduled), describeEnd(scheduled))
    const campaign = await draftFor(world, { port, contacts })
    await sendUntilAnswered(world, port, campaign)
    const load = startLoad(world, { port, clients: 4 })
    await load.goesOn(20)

    proxy.cut()
    const again = {
      ...post,
      body: mailTo(world, 'meanwhile@example.test'),
      idempotencyKey: 'meanwhile',
    }
    const away = async (asking: Parameters<typeof call>[0]): Promise<void> => {
      const end = await call(asking)
      if (typeof end === 'string') assert.fail(end)
      assert.equal(end.status, 503, describeEnd(end))
      assert.match(end.retryAfter ?? '', /^[1-9]\d*$/)
    }
    await until(async () => (await fetch(`${requested.url}/readyz`)).status === 503)
    for (let calls = 0; calls < 5; calls++) {
      await away(again)
      await away({ ...requested, line: 'GET /api/v1/me' })
      await away({ ...requested, line: `GET /api/v1/campaigns/${campaign}` })
    }
    assert.equal((await fetch(`${requested.url}/healthz`)).status, 200)
    await moveClock(database.url, '10 minutes')
    proxy.mend()

    const end = await callUntilAnswered(again)
    assert.ok(acceptedId(end), describeEnd(end))
    await load.goesOn(20)
    const result = await load.stop()
    const wrong = [
      ...(service.isAlive() ? [] : [`the service ended:\n${service.lastLines()}`]),
      ...(await unfinishedRows(world.db, world.workspaceId)),
      ...(await whatIsNotSent(world, campaign)),
    ]
    const rows = await readLedger(world.db, world.workspaceId)
    const frozen = new Set(Array.from({ length: contacts }, (_, n) => addressOf(n + 1)))
    const mails = Object.groupBy(world.mails(), ({ to: [to = ''] }) =>
      frozen.has(to) ? 'campaign' : 'single',
    )
    wrong.push(
      ...checkLoad(
        result,
        rows.map((row) => row.messageId),
      ),
      ...checkMails(rows, mails.single ?? []),
      ...checkCampaign(await readRecipients(world, campaign), frozen, mails.campaign ?? []),
    )
    for (const to of ['scheduled@example.test', 'meanwhile@example.test'])
      if ((mails.single ?? []).filter((mail) => mail.to[0] === to).length !== 1)
        wrong.push(`not once: ${to}`)
    assert.deepEqual(wrong, [])
  }))
