/**
 * Refusals that name their cause, said by the recipients' own mail hosts to our own delivery: the
 * message, the campaign and the domain have the cause.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import { startApi } from '../../support/api.ts'
import { callVerb } from '../../support/call-verb.ts'
import { addSubscribers, draftOf, send, untilSent } from '../../support/campaign-world.ts'
import { startMxWorld } from '../../support/mx-world.ts'
import { refusalReplies } from '../../support/refusal-replies.ts'
import { replies, sentenceOf } from '../../support/refusal-sentences.ts'
import { accepted, read } from '../../support/relay-world.ts'
import type { PeerPhase } from '../../support/scripted-peer.ts'
import { until } from '../../support/until.ts'

const mx = await startMxWorld()
const world = await startApi({
  provider: mx.provider(),
  settings: { heloName: 'mail.sender.example' },
})

interface Case {
  cause: string
  requirement: string
  host: string
  phase: PeerPhase
  status: 'failed' | 'queued'
}

/** Hosts of these names have the starting values of their receiver too. */
const cases: Case[] = [
  {
    cause: 'gmail_unauthenticated',
    requirement: 'dkim',
    host: 'mx1.l.google.com',
    phase: 'dot',
    status: 'failed',
  },
  {
    cause: 'microsoft_authentication_level',
    requirement: 'alignment',
    host: 'mx1.olc.protection.outlook.com',
    phase: 'dot',
    status: 'failed',
  },
  {
    cause: 'microsoft_s3150',
    requirement: 'blocklist',
    host: 'mx1.mail.protection.outlook.com',
    phase: 'mail',
    status: 'failed',
  },
  {
    cause: 'orange_spam',
    requirement: 'spam_rate',
    host: 'mx1.orange.fr',
    phase: 'rcpt',
    status: 'failed',
  },
  {
    cause: 'yahoo_deferred',
    requirement: 'spam_rate',
    host: 'mx1.am0.yahoodns.net',
    phase: 'mail',
    status: 'queued',
  },
]
const replyOf = (cause: string): string => refusalReplies[cause]?.[0] ?? assert.fail(cause)

for (const [at, { cause, host, phase }] of cases.entries()) {
  const address = `127.0.0.${10 + at}`
  await mx.host(address, {
    script: (moment) => (moment.phase === phase ? replyOf(cause) : undefined),
  })
  mx.dns.set(`${cause.replaceAll('_', '-')}.test`, { MX: [{ preference: 1, exchange: host }] })
  mx.dns.set(host, { A: [address] })
}

for (const { cause, requirement, phase, status } of cases) {
  test(`${cause} at ${phase}: the message and the domain have the cause; the address is not suppressed`, async () => {
    const workspace = await world.workspace(cause)
    const id = await accepted(world, workspace, { to: `you@${cause.replaceAll('_', '-')}.test` })
    const email = await until(
      () => read(world, workspace, id),
      (item) => JSON.stringify(item).includes(`"cause":"${cause}"`),
    )
    assert.partialDeepStrictEqual(email, {
      status,
      recipients: [{ status, refusal: { cause, requirement } }],
    })
    const { data } = await callVerb(world.service, workspace.id, 'listRefusals', {
      params: { name: workspace.domain },
    })
    assert.partialDeepStrictEqual(data, [{ cause, requirement, count: 1 }])
    const suppressed = await world.service.db.rows(
      sql`select from suppression where workspace_id = ${workspace.id}`,
    )
    assert.equal(suppressed.length, 0)
  })
}

test('every reply, by a mail host at RCPT: the page of the mail has its cause and the sentence that mends it, the domain counts it', async () => {
  const workspace = await world.workspace('every reply')
  await mx.host('127.0.0.30', {
    script: ({ phase, line }) =>
      phase === 'rcpt' ? replies[Number(/reply(\d+)\.test/.exec(line)?.[1])]?.text : undefined,
  })
  for (const at of replies.keys()) mx.domain(`reply${at}.test`, ['127.0.0.30'])
  const ids = await Promise.all(
    replies.keys().map((at) => accepted(world, workspace, { to: `you@reply${at}.test` })),
  )
  for (const [at, { id: cause, text }] of replies.entries()) {
    const mail = await until(
      () => callVerb(world.service, workspace.id, 'getMessage', { params: { id: ids[at] ?? '' } }),
      ({ recipients }) => recipients[0]?.refusal != null,
    )
    const what = sentenceOf(cause, { text, domain: workspace.domain })
    assert.partialDeepStrictEqual(mail, { recipients: [{ refusal: { cause, what } }] }, text)
  }
  const { data } = await callVerb(world.service, workspace.id, 'listRefusals', {
    params: { name: workspace.domain },
  })
  assert.deepEqual(new Set(data.map(({ cause }) => cause)), new Set(replies.map(({ id }) => id)))
  const suppressed = await world.service.db.rows(
    sql`select from suppression where workspace_id = ${workspace.id}`,
  )
  assert.equal(suppressed.length, 0)
})

test('a campaign: its page counts the cause', async () => {
  const workspace = await world.workspace('campaign')
  await addSubscribers(world, workspace, 4, 'microsoft-authentication-level.test')
  const id = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, id)).status, 202)
  await untilSent(world, workspace, id)
  const { refusals } = await callVerb(world.service, workspace.id, 'getCampaignRun', {
    params: { id },
  })
  assert.partialDeepStrictEqual(refusals, [{ cause: 'microsoft_authentication_level', count: 4 }])
})
