/**
 * Mails as they really arrived, in test/cases: each is handed in by SMTP, and the API says what
 * became of it.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { systemClock, type Clock } from '../../src/ground/clock.ts'
import { serveInbound, type InboundEnd } from '../../src/entrypoints/inbound/serve-inbound.ts'
import { createSmtpRelay } from '../../src/providers/smtp-relay/smtp-relay.ts'
import { ask } from '../support/ask.ts'
import { callVerb } from '../support/call-verb.ts'
import { handIn } from '../support/smtp-talk.ts'
import { startScriptedPeer } from '../support/scripted-peer.ts'
import { sentCampaign } from '../support/tracking-world.ts'
import { startApi } from '../support/api.ts'
import { inboundDomain, relayedTo } from './world.ts'

const folder = new URL('../cases/', import.meta.url)
const namesOf = (kind: string): string[] =>
  readdirSync(folder).filter((name) => name.startsWith(`${kind}--`))
const textOf = (name: string): string =>
  readFileSync(new URL(name, folder), 'utf8').replaceAll(/\r?\n/g, '\r\n')

/** What the relay answers to anna. Null means what a friendly one does. */
let reply: string | null = null
const peer = await startScriptedPeer({
  script: ({ phase, line }) =>
    phase === 'rcpt' && line.includes('anna') ? (reply ?? undefined) : undefined,
})
after(() => peer.close())
const provider = createSmtpRelay({
  relay: { host: '127.0.0.1', port: peer.port, tls: 'none' },
  clock: systemClock,
})
const api = await startApi({ provider, settings: { inboundDomain, deliveredAfterSeconds: 0 } })
const world = { ...api, peer }

/** The reports are of 25 November 2026: the clocks stand at the second day after. */
const time = new Date('2026-11-27T08:00:00Z')
const clock: Clock = { ...systemClock, now: () => time }
await world.moveClock(`${Math.round((time.getTime() - Date.now()) / 1_000)} seconds`)
const ends: InboundEnd[] = []
const inbound = await serveInbound(
  { ...world.service, clock },
  { host: '127.0.0.1', port: 0, tls: null, ends: { inc: ({ outcome }) => ends.push(outcome) } },
)
after(() => inbound.close(500))
const shop = await world.workspace('Cases')
await shop.addDomain('shop.example', { verified: true })

interface Outcome {
  status: string
  bounce: string | null
}

async function outcomeOf(id: string): Promise<Outcome | undefined> {
  const { body } = await ask(world.baseUrl, `GET /api/v1/emails/${id}`, { key: shop.key })
  // As the contract's schema has it.
  const [recipient] = (body as { recipients: Outcome[] }).recipients
  return recipient
}

let mails = 0
/** The class of a mail's bounce once the file came to its return path. */
async function bounceOf(name: string): Promise<Outcome | undefined> {
  const { id, returnPaths } = await relayedTo(world, shop, [`anna${++mails}@example.com`])
  assert.match(
    await handIn(inbound.port, { from: '', to: returnPaths[0] ?? '', bytes: textOf(name) }),
    /^250/,
  )
  return outcomeOf(id)
}

for (const name of namesOf('false-hard'))
  test(`${name}: the address is not suppressed`, async () => {
    assert.partialDeepStrictEqual(await bounceOf(name), { status: 'failed' })
  })

for (const kind of ['m365-unknown', 'dead-domain', 'text-bounce-unseen', 'reason-unread'])
  for (const name of namesOf(kind).filter((file) => file.endsWith('.eml'))) {
    const bounce = name === 'reason-unread--gmail-full.eml' ? 'soft' : 'hard'
    test(`${name}: ${bounce}`, async () =>
      assert.partialDeepStrictEqual(await bounceOf(name), { bounce }))
  }

for (const name of ['m365-unknown--rcpt.txt', 'reply-yandex--no-such-user.txt'])
  test(`${name}: a relay that refuses so makes a hard bounce`, async () => {
    reply = textOf(name)
    const { id } = await relayedTo(world, shop, [`anna${++mails}@example.com`, 'bert@example.com'])
    reply = null
    assert.partialDeepStrictEqual(await outcomeOf(id), { status: 'bounced', bounce: 'hard' })
  })

for (const name of namesOf('unsubscribe-swallowed'))
  test(`${name}: the reader is unsubscribed`, async () => {
    const { id, contacts } = await sentCampaign(world, shop, { contacts: 1 })
    const subscriberId = contacts[0] ?? ''
    const local = world.service.verp.make('unsubscribe', {
      workspaceId: shop.id,
      campaignId: id,
      subscriberId,
    })
    const to = `${local}@${inboundDomain}`
    assert.match(
      await handIn(inbound.port, {
        to,
        bytes: textOf(name).replace('{{LIST-UNSUBSCRIBE ADDRESS}}', to),
      }),
      /^250/,
    )
    const { body } = await ask(world.baseUrl, `GET /api/v1/subscribers/p1.${id}@example.com`, {
      key: shop.key,
    })
    assert.partialDeepStrictEqual(body, { status: 'unsubscribed' })
  })

for (const [kind, address] of [
  ['dmarc-refused', 'dmarc'],
  ['tls-no-policy-domain', 'tlsrpt'],
] as const)
  for (const name of namesOf(kind))
    test(`${name}: the report is stored`, async () => {
      const before = await reportsNow()
      assert.match(
        await handIn(inbound.port, { to: `${address}@${inboundDomain}`, bytes: textOf(name) }),
        /^250/,
      )
      assert.equal(ends.at(-1), 'stored_unproven')
      const now = await reportsNow()
      assert.equal(now[address] - before[address], 3)
    })

/** Messages and sessions of the reports so far; each of the files has three. */
async function reportsNow(): Promise<{ dmarc: number; tlsrpt: number }> {
  const { dmarc, tls } = await callVerb(world.service, shop.id, 'getDomainReports', {
    params: { name: 'shop.example' },
  })
  const sum = (days: { unproven: number }[]): number =>
    days.reduce((total, { unproven }) => total + unproven, 0)
  return { dmarc: sum(dmarc.days), tlsrpt: sum(tls.days) }
}
