/**
 * Complaints to the fixed address: one about a mail of ours counts, and nothing that anybody can
 * forge does.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { makeKeyPair, storeKeyPair } from '../../src/core/domains/make-keys.ts'
import { campaignRun } from '../../src/db/campaigns/campaign-work.ts'
import {
  complaintSums,
  countComplaint,
  type ComplaintProof,
} from '../../src/db/domain-reports/complaint-days.ts'
import { reportTallies } from '../../src/db/domain-reports/report-tally.ts'
import { keyRecord, publicKeyOf } from '../../src/mail/signing/dkim-record.ts'
import { signMessage } from '../../src/mail/signing/dkim.ts'
import { addSubscribers, draftOf, send, untilCampaign } from '../support/campaign-world.ts'
import type { TestWorkspace } from '../support/api.ts'
import { ask } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { handIn } from '../support/smtp-talk.ts'
import {
  beginToSign,
  headerOf,
  jmrpAttachment,
  jmrpReport,
  redacted,
  startSignedWorld,
  yahooReport,
} from './signed-world.ts'
import {
  complaint,
  deliveryReport,
  inboundDomain,
  noSuchUser,
  recipientsNow,
  relayedTo,
} from './world.ts'

const dns = await startDnsServer()
const world = await startSignedWorld({
  dnsServers: [dns.address],
  settings: { deliveredAfterSeconds: 0 },
})
const shop = await world.signing('Shop')
const fbl = `fbl@${inboundDomain}`

/** A mail of the workspace to each, and the bytes that left. */
async function leftTo(
  workspace: TestWorkspace,
  to: string[],
): Promise<{ id: string; mails: string[] }> {
  const { id } = await relayedTo(world, workspace, to)
  return {
    id,
    mails: to.map(
      (address) =>
        world.peer.mails.findLast((mail) => mail.to[0] === address)?.bytes.toString('latin1') ?? '',
    ),
  }
}

const reportersKey = generateKeyPairSync('ed25519')
const forEverybody = ['gmail.com', 'gmx.de', 'proton.me', 'yandex.com', 'orange.fr']
const reporters = [
  'arf.mail.yahoo.com',
  'hotmail.com',
  'mailbox.test',
  'evil.test',
  ...forEverybody,
]
for (const domain of reporters)
  dns.set(`r1._domainkey.${domain}`, {
    TXT: [keyRecord('ed25519-sha256', publicKeyOf(reportersKey.publicKey))],
  })

async function handInReport(bytes: Buffer, to = fbl): Promise<string> {
  assert.match(await handIn(world.port, { from: 'feedback@arf.mail.yahoo.com', to, bytes }), /^250/)
  return world.ends.at(-1) ?? ''
}

/** As the domain's own servers sign. */
const signedBy = (domain: string, report: string): Promise<Buffer> =>
  signMessage(
    Buffer.from(report, 'latin1'),
    [{ algorithm: 'ed25519-sha256', domain, selector: 'r1', key: reportersKey.privateKey }],
    { signedAt: new Date() },
  )

/** Signed by the domain in From. */
const complain = async (report: string, to?: string): Promise<string> =>
  handInReport(await signedBy(/^From:.*@([\w.-]+)/m.exec(report)?.[1] ?? '', report), to)

/** Of nobody who proves it: as everybody can write it about a mail that they got. */
const complainUnsigned = (report: string, to?: string): Promise<string> =>
  handInReport(Buffer.from(report, 'latin1'), to)

const from = (address: string, report: string): string =>
  report.replace(/^From: .*$/m, `From: ${address}\r`)

async function counted({ id }: TestWorkspace): Promise<{ bounces: number; complaints: number }> {
  const [row] = await world.service.db.rows<{ bounces: number; complaints: number }>(sql`
    select coalesce(sum(bounces), 0)::int as bounces, coalesce(sum(complaints), 0)::int as complaints from reputation_day
    where workspace_id = ${id}`)
  return row ?? assert.fail()
}

const complaintsOf = ({ id, domain }: TestWorkspace) =>
  complaintSums(world.service.db, id, { domain, days: 30, max: 100 })

const sendingOf = async ({ key }: TestWorkspace): Promise<unknown> =>
  at((await ask(world.baseUrl, 'GET /api/v1/me', { key })).body, 'sending', 'status')

const suppressionOf = async ({ key }: TestWorkspace, email: string): Promise<unknown> =>
  at(
    (
      await ask(world.baseUrl, `GET /api/v1/suppression?email=${encodeURIComponent(email)}`, {
        key,
      })
    ).body,
    'data',
    '0',
    'reason',
  )

test('what a mail carries: a token for each envelope and an identifier for Gmail, both signed; the address only where its host is of the sender', async () => {
  const own = await world.signing('Own host', { ownHost: true })
  const { mails } = await leftTo(own, ['one@example.com', 'two@example.com'])
  const tokens = mails.map((mail) => /^CFBL-Feedback-ID:\r\n (f-[a-z2-7]+)\r$/m.exec(mail)?.[1])
  assert.equal(new Set(tokens).size, 2)
  for (const mail of mails) {
    assert.match(mail, new RegExp(`^CFBL-Address: fbl@bounce\\.${own.domain}; report=arf\\r$`, 'm'))
    assert.match(mail, new RegExp(`^Feedback-ID: ${own.domain}:single:facteur\\r$`, 'm'))
    const signed =
      /^DKIM-Signature:[^]*? h=([^;]*);/m.exec(mail)?.[1]?.replaceAll(/\s/g, '').split(':') ?? []
    for (const name of ['cfbl-address', 'cfbl-feedback-id', 'feedback-id'])
      assert.equal(
        signed.filter((each) => each === name).length,
        2,
        `${name} is signed, and nobody can add one`,
      )
  }
  const [third = ''] = (await leftTo(shop, ['third-party@example.com'])).mails
  assert.doesNotMatch(
    third,
    /^CFBL-Address:/m,
    'RFC 9477 3.1.3: it would need a signature of that host',
  )
  assert.match(third, /^CFBL-Feedback-ID:/m)
})

test("a caller's own CFBL headers leave with no mail", async () => {
  await ask(world.baseUrl, 'POST /api/v1/emails', {
    key: shop.key,
    body: {
      from: `hello@${shop.domain}`,
      to: 'headers@example.com',
      subject: 'x',
      text: 'x',
      headers: { 'CFBL-Feedback-ID': 'f-forged', 'cfbl-address': 'a@b.test' },
    },
  })
  const mail =
    world.peer.mails.findLast(({ to }) => to[0] === 'headers@example.com')?.bytes.toString() ?? ''
  assert.equal(mail.match(/^cfbl-feedback-id/gim)?.length, 1)
  assert.doesNotMatch(mail, /forged|a@b\.test/)
})

const formats: [name: string, format: (original: string) => string][] = [
  ['a Yahoo report', yahooReport],
  ['a Microsoft JMRP attachment', jmrpAttachment],
  ['a Microsoft JMRP report without the recipient', jmrpReport],
]
for (const [name, format] of formats) {
  test(`${name} on a single mail: that recipient complained and is suppressed; the rule of 0.1 % suspends the workspace`, async () => {
    const workspace = await world.signing(name)
    const { id, mails } = await leftTo(workspace, [
      'first@example.com',
      'second@example.com',
      'third@example.com',
    ])
    await workspace.setReputation({ handOffs: 1_000, bounces: 0, complaints: 0 })
    assert.equal(await complain(format(mails[1] ?? '')), 'complained')
    assert.deepEqual(
      (await recipientsNow(world, workspace, id)).map(({ status }) => status),
      ['sent', 'complained', 'sent'],
    )
    assert.equal(await suppressionOf(workspace, 'second@example.com'), 'complaint')
    assert.equal(await suppressionOf(workspace, 'victim@example.com'), undefined)
    assert.equal(await sendingOf(workspace), 'active', 'the rule asks for two')
    assert.equal(await complain(format(mails[0] ?? '')), 'complained')
    assert.equal(await sendingOf(workspace), 'suspended')
    const refused = await ask(world.baseUrl, 'POST /api/v1/emails', {
      key: workspace.key,
      body: { from: `hello@${workspace.domain}`, to: 'next@example.com', subject: 'x', text: 'x' },
    })
    assert.equal(at(refused.body, 'error', 'code'), 'reputation_blocked')
  })

  test(`${name} on a campaign: that subscriber complained; two of 1,000 suspend the workspace`, async () => {
    const workspace = await world.signing(`${name}, campaign`)
    const domain = `${workspace.domain}.example.com`
    await addSubscribers(world, workspace, 3, domain)
    const id = await draftOf(world, workspace)
    assert.equal((await send(world, workspace, id)).status, 202)
    await untilCampaign(world, workspace, id, ({ status }) => status === 'sent')
    await workspace.setReputation({ handOffs: 1_000, bounces: 0, complaints: 0 })
    const copies = world.peer.mails.filter(({ to }) => to[0]?.endsWith(`@${domain}`))
    assert.equal(copies.length, 3)
    for (const { bytes } of copies.slice(0, 2))
      assert.equal(await complain(format(bytes.toString('latin1'))), 'complained')
    const statuses = await world.service.db.rows<{ email: string; status: string }>(sql`
      select email, status from subscriber where workspace_id = ${workspace.id} and status = 'complained' order by email`)
    assert.deepEqual(
      statuses.map(({ email }) => email),
      copies
        .slice(0, 2)
        .map(({ to }) => to[0])
        .toSorted(),
    )
    assert.equal(await sendingOf(workspace), 'suspended')
  })
}

test('each report acts once: again, changed, from another sender, in another format, and to the return path', async () => {
  const workspace = await world.signing('Once')
  const { mails } = await leftTo(workspace, ['once@example.com'])
  const [mail = ''] = mails
  await workspace.setReputation({ handOffs: 100, bounces: 0, complaints: 0 })
  assert.equal(await complain(yahooReport(mail)), 'complained')
  const path = world.peer.mails.findLast(({ to }) => to[0] === 'once@example.com')?.from ?? ''
  for (const variant of [
    yahooReport(mail),
    yahooReport(mail, { type: 'fraud' }),
    jmrpAttachment(mail),
    jmrpReport(mail),
  ])
    assert.equal(await complain(variant), 'repeated')
  assert.equal(await complain(from('fbl@mailbox.test', complaint('abuse')), path), 'repeated')
  assert.equal(await complainUnsigned(yahooReport(mail)), 'complained_unproven')
  for (let variant = 0; variant < 5; variant++)
    assert.equal(
      await complainUnsigned(from(`me@variant${variant}.test`, yahooReport(mail))),
      'repeated',
    )
  assert.equal(await sendingOf(workspace), 'active', 'one contact is one complaint')
  assert.deepEqual(
    (await complaintsOf(workspace)).map(({ reporter, verified, proven, unverified }) => [
      reporter,
      verified,
      proven,
      unverified,
    ]),
    [['yahoo.com', 2, 1, 0]],
  )
})

test('one recipient, or one domain, suspends no workspace: what they report of their own mails suppresses, and is shown apart', async () => {
  const workspace = await world.signing('Attacked')
  await workspace.setReputation({ handOffs: 100, bounces: 0, complaints: 0 })
  const address = 'one@evil.test'
  for (let mail = 0; mail < 4; mail++) {
    const { mails } = await leftTo(workspace, [address])
    const path = world.peer.mails.findLast(({ to }) => to[0] === address)?.from ?? ''
    if (mail === 0)
      assert.equal(await complainUnsigned(yahooReport(mails[0] ?? '')), 'complained_unproven')
    if (mail === 1)
      assert.equal(
        await complain(from('me@evil.test', yahooReport(mails[0] ?? ''))),
        'complained_unproven',
      )
    // Everybody can have an address there.
    if (mail === 2)
      assert.equal(
        await complain(from('me@gmail.com', yahooReport(mails[0] ?? ''))),
        'complained_unproven',
      )
    if (mail === 3)
      assert.equal(
        await complain(from('me@evil.test', complaint('abuse')), path),
        'complained_unproven',
      )
    assert.equal(await suppressionOf(workspace, address), 'complaint')
    await world.run(`delete from suppression where workspace_id = ${workspace.id}`)
  }
  assert.equal((await counted(workspace)).complaints, 0)
  assert.equal(await sendingOf(workspace), 'active')
  const sums = await complaintsOf(workspace)
  assert.deepEqual(
    sums.map(({ reporter, verified, proven }) => [reporter, verified, proven]).toSorted(),
    [
      ['evil.test', 2, 0],
      ['gmail.com', 1, 0],
      ['yahoo.com', 1, 0],
    ],
  )
  const tallies = await reportTallies(world.service.databases.home.db)
  assert.ok((tallies.find(({ outcome }) => outcome === 'complained_unproven')?.mails ?? 0) >= 3)
})

test('one contact counts once, however they write their address; a provider’s user is no provider', async () => {
  const workspace = await world.signing('Variants')
  for (const address of [
    'ann+1@mail.test',
    'ann+two@mail.test',
    'ann@mail.test',
    'b.o.b@gmail.com',
    'bo.b+3@googlemail.com',
  ]) {
    const { mails } = await leftTo(workspace, [address])
    assert.equal(
      await complain(from('fbl@mailbox.test', yahooReport(mails[0] ?? ''))),
      'complained',
    )
    assert.equal(await suppressionOf(workspace, address), 'complaint')
  }
  assert.equal((await counted(workspace)).complaints, 2)
  for (const provider of forEverybody) {
    const { mails } = await leftTo(workspace, [`${provider}@evil.test`])
    assert.equal(
      await complain(from(`me@${provider}`, yahooReport(mails[0] ?? ''))),
      'complained_unproven',
      provider,
    )
  }
  assert.equal((await counted(workspace)).complaints, 2)
})

test('proven by the signature of a known reporter or another organisation: once for an address in 30 days, however many mails', async () => {
  const workspace = await world.signing('Proven')
  const mails: string[] = []
  for (let mail = 0; mail < 4; mail++) {
    mails.push(...(await leftTo(workspace, ['reader@mail.test'])).mails)
  }
  assert.equal(await complain(yahooReport(mails[0] ?? '')), 'complained')
  assert.equal(await complain(from('fbl@mailbox.test', yahooReport(mails[1] ?? ''))), 'complained')
  assert.equal((await counted(workspace)).complaints, 1)
  await world.moveClock('29 days')
  assert.equal(await complain(yahooReport(mails[2] ?? '')), 'complained')
  assert.equal((await counted(workspace)).complaints, 1)
  await world.moveClock('31 days')
  assert.equal(await complain(yahooReport(mails[3] ?? '')), 'complained')
  assert.equal((await counted(workspace)).complaints, 2)
  await world.moveClock('0')
})

test('a proven complaint counts after an unproven one, and after all the notices that a recipient may send', async () => {
  const workspace = await world.signing('Later')
  const { mails } = await leftTo(workspace, ['first@mail.test'])
  const path = world.peer.mails.findLast(({ to }) => to[0] === 'first@mail.test')?.from ?? ''
  assert.equal(await complainUnsigned(yahooReport(mails[0] ?? '')), 'complained_unproven')
  const delayed = 'Final-Recipient: rfc822; a@b.test\nAction: delayed\nStatus: 4.0.0'
  for (let notice = 0; notice < 52; notice++)
    await handInReport(Buffer.from(deliveryReport(delayed, { text: `${notice}` })), path)
  assert.equal(world.ends.at(-1), 'too_many')
  assert.equal(await complain(yahooReport(mails[0] ?? '')), 'complained')
  assert.equal((await counted(workspace)).complaints, 1)
})

test('an address bounces once in 30 days, however many of its mails come back', async () => {
  const workspace = await world.signing('Returned')
  const paths: string[] = []
  for (let mail = 0; mail < 6; mail++)
    paths.push(...(await relayedTo(world, workspace, ['gone@mail.test'])).returnPaths)
  for (const path of paths)
    assert.equal(await handInReport(Buffer.from(deliveryReport(noSuchUser)), path), 'bounced')
  assert.equal((await counted(workspace)).bounces, 1)
})

test('a campaign pauses by proven complaints alone', async () => {
  const workspace = await world.signing('Paused')
  const domain = `${workspace.domain}.example.com`
  await addSubscribers(world, workspace, 2, domain)
  const campaignId = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, campaignId)).status, 202)
  await untilCampaign(world, workspace, campaignId, ({ status }) => status === 'sent')
  await world.run(
    `update campaign set status = 'sending', completed_at = null where id = '${campaignId}'`,
  )
  const complaints = async () =>
    (await campaignRun(world.service.db, { workspaceId: workspace.id, campaignId }))?.complaints
  const [first, second] = world.peer.mails
    .filter(({ to }) => to[0]?.endsWith(`@${domain}`))
    .map(({ bytes }) => bytes.toString('latin1'))
  assert.equal(await complainUnsigned(yahooReport(first ?? '')), 'complained_unproven')
  assert.equal(await complaints(), 0)
  assert.equal(await complain(yahooReport(second ?? '')), 'complained')
  assert.equal(await complaints(), 1)
})

test('unverified reports push no proven reporter out of a day or of the page', async () => {
  const workspace = await world.signing('Crowded')
  const { mails } = await leftTo(workspace, ['crowd@mail.test'])
  const as = (reporter: string, proof: ComplaintProof) =>
    countComplaint(world.service.db, workspace.id, { domain: workspace.domain, reporter, proof })
  for (let stranger = 0; stranger < 101; stranger++)
    await as(`stranger${stranger}.test`, 'unverified')
  assert.equal(await complain(yahooReport(mails[0] ?? '')), 'complained')
  await as('stranger0.test', 'unverified')
  const [first, ...rest] = await complaintsOf(workspace)
  assert.partialDeepStrictEqual(first, { reporter: 'yahoo.com', proven: 1 })
  assert.equal(rest.length, 99)
})

test('test/cases: a report whose header lacks To is verified with the one that left', async () => {
  const workspace = await world.signing('Without To')
  const { id, mails } = await leftTo(workspace, [
    'without-to@example.com',
    'another-to@example.com',
  ])
  const file = await readFile(
    new URL('../cases/complaint-unverified--to-left-out.eml', import.meta.url),
    'latin1',
  )
  const without = headerOf(mails[0] ?? '').replace(/^To: [^\r]*\r\n(?:[ \t][^\r]*\r\n)*/m, '')
  assert.doesNotMatch(without, /^To:/m)
  const report = (header: string): string =>
    file
      .replaceAll(/\r?\n/g, '\r\n')
      .replace('{{HEADER OF THE SENT MAIL, WITHOUT ITS To FIELD}}', () => header)
  assert.equal(
    await complainUnsigned(report(without.replace(/^Subject: .*$/m, 'Subject: another\r'))),
    'unverified',
  )
  assert.equal(await complainUnsigned(report(without)), 'complained_unproven')
  assert.deepEqual(
    (await recipientsNow(world, workspace, id)).map(({ status }) => status),
    ['complained', 'sent'],
  )
})

let forged = 0
const strangersKey = generateKeyPairSync('ed25519').privateKey

const withoutSignatures = (mail: string): string =>
  mail.replaceAll(/^DKIM-Signature:[^\r]*(?:\r\n[ \t][^\r]*)*\r\n/gm, '')

/** Signed by a new key of the workspace's domain, as only we can. */
async function signedByKeyOf(
  { id: workspaceId, domain }: TestWorkspace,
  mail: string,
): Promise<string> {
  const keys = await makeKeyPair()
  await storeKeyPair(world.service.db, world.service.secrets, { workspaceId, domain, keys })
  const signers = keys.map(({ selector, algorithm, privateKey }) => ({
    selector,
    algorithm,
    domain,
    key: privateKey,
  }))
  return (
    await signMessage(Buffer.from(mail, 'latin1'), signers, { signedAt: new Date() })
  ).toString('latin1')
}

/** Each: what a stranger, or another workspace, makes of a mail that left. */
const forgeries: [name: string, forge: (mail: string) => Promise<string> | string][] = [
  ['no signature', (mail) => withoutSignatures(mail)],
  ['another selector', (mail) => mail.replaceAll(/ s=fct[a-z0-9]+;/g, ' s=mine;')],
  ['another domain', (mail) => mail.replaceAll(` d=${shop.domain};`, ' d=evil.test;')],
  ['an altered body', (mail) => mail.replace('\r\n\r\n', '\r\n\r\nBuy now\r\n')],
  ['an altered subject', (mail) => mail.replace(/^Subject: .*\r$/m, 'Subject: Buy now\r')],
  [
    'an altered body hash',
    (mail) => mail.replaceAll(/ bh=[^;]*;/g, ' bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=;'),
  ],
  [
    'the token of another recipient',
    async (mail) => {
      const [other = ''] = (await leftTo(shop, ['other@example.com'])).mails
      return mail.replace(/f-[a-z2-7]{20,}/, /f-[a-z2-7]{20,}/.exec(other)?.[0] ?? '')
    },
  ],
  [
    'a second token above the signed one',
    async (mail) => {
      const [other = ''] = (await leftTo(shop, ['another@example.com'])).mails
      return `CFBL-Feedback-ID: ${/f-[a-z2-7]{20,}/.exec(other)?.[0]}\r\n${mail}`
    },
  ],
  [
    'signed again by a key of their own',
    (mail) =>
      signMessage(
        Buffer.from(withoutSignatures(mail).replace('Hello\r\n', 'Buy now\r\n'), 'latin1'),
        [{ algorithm: 'ed25519-sha256', domain: shop.domain, selector: 'mine', key: strangersKey }],
        { signedAt: new Date() },
      ).then((bytes) => bytes.toString('latin1')),
  ],
  [
    'a token that our signature does not cover, as in a mail from before there were tokens',
    async (mail) => {
      const token = /^CFBL-Feedback-ID:\r\n [^\r]*\r\n/m
      const signed = await signedByKeyOf(shop, withoutSignatures(mail).replace(token, ''))
      return (token.exec(mail)?.[0] ?? '') + signed
    },
  ],
  [
    'a token of this workspace that a key of another one signed',
    async (mail) =>
      signedByKeyOf(await world.workspace(`Signer ${forged}`), withoutSignatures(mail)),
  ],
  ['no token', (mail) => mail.replace(/^CFBL-Feedback-ID:\r\n [^\r]*\r\n/m, '')],
  [
    'a forged token',
    (mail) => mail.replace(/f-[a-z2-7]{20,}/, (token) => `${token.slice(0, -4)}aaaa`),
  ],
  [
    'a mail of another workspace, replayed with the token of this one',
    async (mail) => {
      const elsewhere = await world.signing(`Elsewhere ${forged}`)
      const [foreign = ''] = (await leftTo(elsewhere, ['theirs@example.com'])).mails
      return foreign.replace(/f-[a-z2-7]{20,}/, /f-[a-z2-7]{20,}/.exec(mail)?.[0] ?? '')
    },
  ],
]
for (const [name, forge] of forgeries) {
  for (const [format, write] of formats) {
    if (name === 'an altered body' && write === jmrpReport) continue
    test(`forged, ${name}, as ${format}: counted apart, and nothing changes`, async () => {
      const address = `forged${++forged}@example.com`
      const { id, mails } = await leftTo(shop, [address])
      assert.equal(await complain(write(await forge(mails[0] ?? ''))), 'unverified')
      assert.deepEqual(
        (await recipientsNow(world, shop, id)).map(({ status }) => status),
        ['sent'],
      )
      assert.equal(await suppressionOf(shop, address), undefined)
    })
  }
}

test('none of the forgeries was counted for the reputation, and they are seen apart', async () => {
  assert.equal((await counted(shop)).complaints, 0)
  const days = await complaintSums(world.service.db, shop.id, {
    domain: shop.domain,
    days: 30,
    max: 10,
  })
  assert.ok(
    days.length > 0 && days.every(({ verified, unverified }) => verified === 0 && unverified > 0),
  )
  assert.deepEqual(days.map(({ reporter }) => reporter).toSorted(), ['hotmail.com', 'yahoo.com'])
  const tallies = await reportTallies(world.service.databases.home.db)
  assert.ok(
    (tallies.find(({ kind, outcome }) => kind === 'fbl' && outcome === 'unverified')?.mails ?? 0) >=
      forgeries.length,
  )
})

test('the header of a mail by itself is enough; its addresses may be left out, anything else may not', async () => {
  const { id, mails } = await leftTo(shop, ['header@example.com', 'both@example.com'])
  assert.equal(await complain(yahooReport(headerOf(mails[0] ?? ''))), 'complained')
  assert.equal(await complain(yahooReport(redacted(mails[1] ?? ''))), 'complained')
  assert.deepEqual(
    (await recipientsNow(world, shop, id)).map(({ status }) => status),
    ['complained', 'complained'],
  )
})

test('a mail whose key was retired, or whose domain was removed since, is still verified', async () => {
  const workspace = await world.signing('Rotated')
  const { id, mails } = await leftTo(workspace, ['rotated@example.com', 'removed@example.com'])
  await beginToSign(world, workspace)
  await world.service.db.count(sql`
    update domain_key set state = 'retired', private_key = null where workspace_id = ${workspace.id} and state = 'retiring'`)
  assert.equal(await complain(yahooReport(mails[0] ?? '')), 'complained')
  await world.run(`delete from sender where workspace_id = ${workspace.id}`)
  const { dropDomain } = await import('../../src/core/domains/remove-domain.ts')
  assert.equal(
    await dropDomain({ ...world.service, actor: { kind: 'operator' } } as never, {
      workspaceId: workspace.id,
      name: workspace.domain,
    }),
    'removed',
  )
  assert.equal(await complain(yahooReport(mails[1] ?? '')), 'complained')
  assert.deepEqual(
    (await recipientsNow(world, workspace, id)).map(({ status }) => status),
    ['complained', 'complained'],
  )
})

test('180 days later a report changes nothing', async () => {
  const { id, mails } = await leftTo(shop, ['late@example.com'])
  await world.moveClock('181 days')
  assert.equal(await complain(yahooReport(mails[0] ?? '')), 'too_old')
  assert.deepEqual(
    (await recipientsNow(world, shop, id)).map(({ status }) => status),
    ['sent'],
  )
  await world.moveClock('0')
})

test('"this is no spam", a delivery report with our mail in it, a mail without one: nothing; an opt-out leaves', async () => {
  const [mail = ''] = (await leftTo(shop, ['quiet@example.com'])).mails
  assert.equal(await complain(yahooReport(mail, { type: 'not-spam' })), 'no_report')
  assert.equal(
    await complain(
      jmrpAttachment(mail).replace(
        'multipart/mixed;',
        'multipart/report; report-type=delivery-status;',
      ),
    ),
    'no_report',
  )
  assert.equal(await complain('From: a@b.test\r\nSubject: Hello\r\n\r\nHello'), 'no_report')
  assert.equal(await complain(yahooReport('Subject: Hello\r\n\r\nHello')), 'unverified')
})

test('the address is taken in any case and at any host that leads here; a token of a header is no address', async () => {
  const [mail = ''] = (await leftTo(shop, ['case@example.com'])).mails
  const token = /f-[a-z2-7]{20,}/.exec(mail)?.[0] ?? ''
  assert.match(
    await handIn(world.port, { to: `${token}@${inboundDomain}`, bytes: 'x: y\r\n\r\n' }),
    /^550/,
  )
  assert.match(
    await handIn(world.port, {
      to: `FBL@BOUNCE.${shop.domain}`,
      bytes: Buffer.from(yahooReport(mail), 'latin1'),
    }),
    /^250/,
  )
  assert.equal(world.ends.at(-1), 'complained_unproven')
  assert.match(
    await handIn(world.port, { to: `fbl2@${inboundDomain}`, bytes: 'x: y\r\n\r\n' }),
    /^550/,
  )
})

test('a report may have 5 MB, a mail to a return path 2 MB', async () => {
  const { mails } = await leftTo(shop, ['large@example.com'])
  const large = yahooReport(
    `${mails[0] ?? ''}${'x'.repeat(70)}\r\n`.padEnd(4_500_000, `${'x'.repeat(70)}\r\n`),
  )
  assert.equal(await complain(large), 'unverified')
  const path = world.peer.mails.findLast(({ to }) => to[0] === 'large@example.com')?.from ?? ''
  assert.match(await handIn(world.port, { to: path, bytes: large.slice(0, 2_100_000) }), /^552/)
  assert.match(
    await handIn(world.port, { to: fbl, bytes: large.padEnd(5_100_000, 'x\r\n') }),
    /^552/,
  )
})
