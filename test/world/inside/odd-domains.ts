/**
 * Our own delivery where DNS and hosts are not as they should be: each recipient gets its domain's
 * outcome, and none waits for another.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { runOn } from '../../support/database.ts'
import { until } from '../../support/until.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import {
  ownDelivery,
  verifyDomain,
  recipientsOf,
  sendMail,
  startInstallation,
  untilStatuses,
} from '../installation.ts'
import { mailOf } from '../maildir.ts'
import { forbiddenHost, nameServer, ours, tarpitAt, zone } from '../places.ts'
import { startWorldPostfix, whyNoPostfix } from '../postfix.ts'

const options = { skip: whyNoPostfix }
const dns = await startDnsServer({ names: zone, at: nameServer })
const forbiddenCalls = await Promise.all([forbiddenHost, '127.0.0.1'].map(countCalls))
const tarpitCalls = await countCalls(tarpitAt)
const [postfix, acme] = await Promise.all([
  whyNoPostfix ? null : startWorldPostfix({ after }),
  startInstallation({ after }, 'acme.test', ownDelivery),
])
await verifyDomain(acme, dns)

/** Takes every connection, and says nothing. */
async function countCalls(host: string): Promise<() => number> {
  let calls = 0
  const server = createServer((socket) => {
    calls++
    socket.on('error', () => undefined)
    after(() => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(25, host, resolve))
  after(() => void server.close())
  return () => calls
}

for (const { title, email, status, response, from } of [
  {
    title: 'a host with an IPv6 address alone',
    email: 'reader@v6only.test',
    status: 'delivered',
    from: `IPv6:${ours.v6}`,
  },
  {
    title: 'a domain without MX',
    email: 'reader@withoutmx.test',
    status: 'delivered',
    from: ours.v4,
  },
  {
    title: 'two of three hosts are gone',
    email: 'reader@failover.test',
    status: 'delivered',
    from: ours.v4,
  },
  {
    title: 'a host that sends newcomers away',
    email: 'reader@grey.test',
    status: 'delivered',
    from: ours.v4,
  },
  {
    title: 'a host that asks first',
    email: 'gone@strict.test',
    status: 'bounced',
    response: /^550 5\.1\.1 .*User unknown/,
  },
  {
    title: 'a null MX',
    email: 'reader@nullmx.test',
    status: 'bounced',
    response: /^5\.1\.10 .*null MX/,
  },
  {
    title: 'no such domain',
    email: 'reader@nowhere.test',
    status: 'bounced',
    response: /^5\.1\.2 .*does not exist/,
  },
  {
    title: 'a private address',
    email: 'reader@private.test',
    status: 'failed',
    response: /no address that may be dialled \(10\.66\.0\.1\)/,
  },
  {
    title: 'our own machine',
    email: 'reader@loopback.test',
    status: 'failed',
    response: /no address that may be dialled \(127\.0\.0\.1\)/,
  },
]) {
  test(`${title}: ${status}`, options, async () => {
    const id = await sendMail(acme, [email])
    const [recipient] = await untilStatuses(acme, id, [status])
    if (response) assert.match(recipient?.response ?? '', response)
    if (from)
      assert.ok(
        (await mailOf(postfix?.mailbox(email.replace('reader@', '')) ?? '', id)).includes(
          ` [${from}])`,
        ),
      )
    // It came again with the same return path, or it would have been a newcomer again.
    if (email === 'reader@grey.test') assert.ok((recipient?.attempts ?? 0) > 1)
  })
}

test('no forbidden address was dialled', options, () =>
  assert.deepEqual(
    forbiddenCalls.map((calls) => calls()),
    [0, 0],
  ),
)

test('DNS that fails is waited for: delivered once it answers again', options, async () => {
  dns.misbehave('recovering.test', 'servfail')
  const id = await sendMail(acme, ['reader@recovering.test'])
  await until(async () => (await recipientsOf(acme, id))[0]?.response?.includes('servfail'))
  dns.misbehave('recovering.test', null)
  const [recipient] = await untilStatuses(acme, id, ['delivered'])
  assert.ok((recipient?.attempts ?? 0) > 1)
})

test(
  'a host that refuses more than two connections (421): forty mails arrive, and its limit is remembered',
  options,
  async () => {
    const to = Array.from({ length: 40 }, (_, n) => `reader${n}@storm.test`)
    await untilStatuses(
      acme,
      await sendMail(acme, to),
      to.map(() => 'delivered'),
    )
    // Half of those that were open as it refused, of which there are at least the five of the
    // beginning.
    const { rows } = await runOn(
      acme.databaseUrl,
      `select connections < 5 as "isLow" from destination where name = 'mx.storm.test'`,
    )
    assert.deepEqual(rows, [{ isLow: true }])
  },
)

test(
  'fifty mails for a host that never says a word: those for another arrive meanwhile',
  options,
  async () => {
    const stuck = await sendMail(
      acme,
      Array.from({ length: 50 }, (_, n) => `reader${n}@tarpit.test`),
    )
    await until(() => tarpitCalls() !== 0)
    const beside = await Promise.all(
      Array.from({ length: 30 }, () => sendMail(acme, ['reader@postfix.test'])),
    )
    await Promise.all(beside.map((id) => untilStatuses(acme, id, ['delivered'])))
    const stuckOnes = await recipientsOf(acme, stuck)
    assert.ok(stuckOnes.every(({ status }) => status === 'queued'))
  },
)
