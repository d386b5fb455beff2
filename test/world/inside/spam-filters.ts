/**
 * What rspamd and SpamAssassin make of our mail at its receiver: authenticated single mails and
 * campaigns are not above 0. Each mail was accepted by a real mail server, and both filters look up
 * SPF, DKIM and DMARC themselves.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ask, textAt } from '../../support/ask.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { freePort } from '../../support/free-port.ts'
import { at } from '../../support/json.ts'
import { startExim, whyNoExim } from '../exim.ts'
import { startHttpsFront } from '../https-front.ts'
import { ownDelivery, startInstallation, verifyDomain } from '../installation.ts'
import { mailOf } from '../maildir.ts'
import { nameServer, ours, zone } from '../places.ts'
import { startRspamd, whyNoRspamd, type Points } from '../rspamd.ts'
import { makeFolder } from '../servers.ts'
import { makeSpamassassin, whyNoSpamassassin } from '../spamassassin.ts'
import { returnPathOf } from '../verify-mail.ts'

const words =
  'This week we have new books for children, notebooks and a lovely series of postcards. ' +
  'Come and see them in the shop from Tuesday to Saturday, or order them online and collect them when you like.'
const shop = 'https://shop.acme.test'
const port = await freePort()
const dns = await startDnsServer({ names: zone, at: nameServer })
const front = await startHttpsFront(
  { after },
  {
    host: ours.v4,
    names: ['mail.facteur.test', 'links.acme.test'],
    service: { host: '127.0.0.1', port },
  },
)
const exim = whyNoExim ? null : await startExim({ after })
const acme = await startInstallation({ after }, 'acme.test', {
  ...ownDelivery,
  FACTEUR_BASE_URL: 'https://mail.facteur.test',
  FACTEUR_PORT: String(port),
  NODE_EXTRA_CA_CERTS: front.authorities,
})
const folder = makeFolder('contents')
const mails = new Map<string, Buffer>()

before(async () => {
  if (exim === null) return
  const domain = await verifyDomain(acme, dns)
  const records = at(domain, 'records')
  assert.ok(
    Array.isArray(records) && records.every((record) => at(record, 'status') === 'found'),
    JSON.stringify(records),
  )
  const text = `${words}\n\n${shop}/orders/4711`
  const html = `<p>${words}</p><p><a href="${shop}/orders/4711">Your order</a></p>`
  const attachments = [
    { filename: 'invoice.pdf', content: Buffer.from('%PDF-1.4\n').toString('base64') },
  ]
  await sendSingle('a single mail of text', { text })
  await sendSingle('a single mail', { text, html })
  const letter = {
    text: `${`${words}\n\n`.repeat(16)}${text}`,
    html: `<p>${words}</p>`.repeat(16) + html,
  }
  await sendSingle('a tracked letter', { ...letter, track_opens: true, track_clicks: true })
  await sendSingle('a single mail with a file', { text, html, attachments })
  await prepareCampaigns()
  await sendCampaign('a campaign of text', [
    '--text',
    write('news.txt', `# Hello {{firstName}}\n\n${words}\n\n${shop}/new\n\n${words}`),
  ])
  await sendCampaign('a campaign of blocks', [
    '--content',
    write('news.json', JSON.stringify(blocks)),
  ])
})

const blocks = [
  { type: 'heading', text: 'Hello {{firstName}}' },
  { type: 'paragraph', text: words },
  { type: 'button', text: 'See them', url: `${shop}/new` },
  { type: 'paragraph', text: words },
]
const kinds = [
  'a single mail of text',
  'a single mail',
  'a tracked letter',
  'a single mail with a file',
  'a campaign of text',
  'a campaign of blocks',
]

async function sendSingle(kind: string, content: object): Promise<void> {
  const body = {
    from: 'Acme <hello@acme.test>',
    to: ['Camille <reader@exim.test>'],
    subject: 'Your order 4711 has left',
    ...content,
  }
  const answer = await ask(acme.baseUrl, 'POST /api/v1/emails', { key: acme.key, body })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  mails.set(kind, await mailOf(exim?.mailbox('reader') ?? '', textAt(answer, 'id')))
}

async function prepareCampaigns(): Promise<void> {
  const readers = write('readers.csv', 'email,firstName\nreader@exim.test,Camille\n')
  const ofAcme = ['--workspace', 'acme']
  const { operator } = acme
  await operator.json(['sender', 'add', 'news@acme.test', '--name', 'Acme', ...ofAcme])
  await operator.json([
    'subscriber',
    'import',
    readers,
    ...ofAcme,
    '--consent',
    'Ticked the box at the till',
  ])
  await operator.json([
    'workspace',
    'set',
    'acme',
    '--language',
    'en',
    '--postal-address',
    'Acme\n1 Main Street\nSpringfield',
  ])
}

async function sendCampaign(kind: string, content: string[]): Promise<void> {
  const line = [
    'campaign',
    'create',
    '--workspace',
    'acme',
    '--name',
    kind,
    '--subject',
    'New books and postcards',
    ...content,
  ]
  const id = String(at(await acme.operator.json(line), 'id'))
  await acme.operator.json([
    'campaign',
    'send',
    '--workspace',
    'acme',
    id,
    '--yes',
    '--undo-seconds',
    '0',
  ])
  mails.set(kind, await mailOf(exim?.mailbox('reader') ?? '', id.replaceAll('-', '')))
}

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

/** These rules hit, and the sum of all is not above 0. */
function assertClean(kind: string, points: Points, expected: string[]): void {
  const observed = `${kind}: ${JSON.stringify(points)}`
  for (const rule of expected) assert.ok(rule in points, `${rule} is missing; ${observed}`)
  const sum = Object.values(points).reduce((total, each) => total + each, 0)
  assert.ok(sum <= 0, `${sum.toFixed(2)} points; ${observed}`)
}

const mailNamed = (kind: string): Buffer => mails.get(kind) ?? assert.fail(`${kind} did not arrive`)
const how = (mail: Buffer) => ({
  ip: ours.v4,
  helo: ours.name,
  returnPath: returnPathOf(mail),
  recipient: 'reader@exim.test',
})

test(
  'rspamd finds SPF, DKIM and DMARC in order, and has no point against our mails',
  { skip: whyNoExim || whyNoRspamd },
  async (t) => {
    const check = await startRspamd(t)
    for (const kind of kinds) {
      const points = await check(mailNamed(kind), how(mailNamed(kind)))
      assertClean(kind, points, ['R_SPF_ALLOW', 'R_DKIM_ALLOW', 'DMARC_POLICY_ALLOW'])
    }
    // The same mail from a host that SPF does not name, with another sentence than was signed.
    const mail = mailNamed(kinds[0] ?? '')
    const forged = Buffer.from(mail.toString('latin1').replace('new books', 'new bonds'), 'latin1')
    const points = await check(forged, { ...how(mail), ip: '10.25.0.77' })
    assert.ok('R_SPF_FAIL' in points && 'R_DKIM_REJECT' in points, JSON.stringify(points))
  },
)

test(
  'SpamAssassin finds SPF and DKIM in order, and has no point against our mails',
  { skip: whyNoExim || whyNoSpamassassin },
  async () => {
    const check = makeSpamassassin()
    for (const kind of kinds)
      assertClean(kind, await check(mailNamed(kind)), ['SPF_PASS', 'DKIM_VALID_AU'])
  },
)
