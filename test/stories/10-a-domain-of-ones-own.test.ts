/**
 * The tenth story: a shop writes from its own domain. It sets the records that it is shown, and its
 * mail is signed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAnswered, assertRefused } from '../support/ask.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { startScriptedPeer } from '../support/scripted-peer.ts'
import { openStory } from '../support/story.ts'

interface DnsRecord {
  type: string
  name: string
  value: string
}

test('a domain of one’s own', async (t) => {
  const dns = await startDnsServer({ names: {} })
  const relay = await startScriptedPeer()
  t.after(() => relay.close())
  const story = await openStory(t, {
    FACTEUR_DNS_SERVERS: dns.address,
    FACTEUR_SMTP_URL: `smtp://127.0.0.1:${relay.port}?tls=none`,
  })
  const ofShop = ['shop.test', '--workspace', 'demo']
  const writeFrom = (from: string) => story.write('reader@example.com', { from })
  let records: DnsRecord[] = []

  await t.test('1. The operator adds the domain, and is shown the records to set.', async () => {
    const added = await story.operator.json(['domain', 'add', ...ofShop])
    assert.partialDeepStrictEqual(added, { id: 'shop.test', status: 'pending' })
    records = (added as { records: DnsRecord[] }).records
    assert.ok(records.some(({ name }) => name.endsWith('._domainkey.shop.test')))
  })

  await t.test('2. As long as they are missing, the check says so, record by record.', async () => {
    const { code, stdout } = await story.operator.run(['domain', 'verify', ...ofShop])
    assert.equal(code, 1)
    assert.match(stdout.toString(), /not verified yet[^]*missing +DKIM/)
  })

  await t.test(
    '3. The records are set as they were shown, and the domain is verified.',
    async () => {
      for (const { type, name, value } of records)
        if (type === 'TXT') dns.set(name, { TXT: [value] })
      assert.match(
        await story.operator.text(['domain', 'verify', ...ofShop]),
        /shop\.test is verified/,
      )
    },
  )

  await t.test('4. Mail leaves from it, signed with its key.', async () => {
    assertAnswered(await writeFrom('Ada <ada@shop.test>'), 202)
    await relay.until(() => relay.mails.length === 1)
    const bytes = relay.mails[0]?.bytes.toString('latin1') ?? ''
    assert.match(bytes, /^From: Ada <ada@shop\.test>\r$/m)
    assert.match(bytes, /^DKIM-Signature: [^]*?d=shop\.test/m)
  })

  await t.test(
    '5. A mail from a domain that the workspace has not verified is refused.',
    async () => {
      assertRefused(await writeFrom('Ada <ada@elsewhere.test>'), 'unverified_from_domain')
      assert.equal(relay.mails.length, 1)
    },
  )
})
