/**
 * The thirteenth story, as docs/moving-in.md tells it: a team leaves Resend and listmonk in an
 * afternoon, and could go back. Commands, programs and settings are read from the page.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import PostalMime, { type Email } from 'postal-mime'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { openContext, startBrowser } from '../support/browser.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { freePort } from '../support/free-port.ts'
import { openMovingIn, type PlayedPage } from '../support/moving-in.ts'
import { startPostfix, whyNoPostfix } from '../support/postfix.ts'
import { startScriptedPeer } from '../support/scripted-peer.ts'
import { startProgram } from '../support/service.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

/** As the two products write them; one reader left each, and one address bounced. */
const files = {
  'listmonk-confirmed.csv': `uuid,email,name,attributes,status,created_at,updated_at
5d3f7a30-8f8e-4d0e-9d0b-7a2b7f0c0001,lea@example.com,Léa Martin,"{""city"": ""Lyon""}",enabled,2024-03-01T09:00:00Z,2024-03-01T09:00:00Z
5d3f7a30-8f8e-4d0e-9d0b-7a2b7f0c0002,blocked@example.com,Bo,{},blocklisted,2024-03-01T09:00:00Z,2024-03-01T09:00:00Z
`,
  'listmonk-unsubscribed.csv': `uuid,email,name,attributes,status,created_at,updated_at
5d3f7a30-8f8e-4d0e-9d0b-7a2b7f0c0003,omar@example.com,Omar,{},enabled,2024-03-01T09:00:00Z,2024-03-01T09:00:00Z
`,
  'resend-contacts.csv': `id,email,first_name,last_name,unsubscribed,created_at
0b1a4c5e-1111-4d2f-9f6c-000000000001,ada@example.com,Ada,Byron,false,2025-01-02 10:00:00
0b1a4c5e-1111-4d2f-9f6c-000000000002,gus@example.com,Gus,,true,2025-01-02 10:00:00
0b1a4c5e-1111-4d2f-9f6c-000000000003,dead@example.com,Di,,false,2025-01-02 10:00:00
0b1a4c5e-1111-4d2f-9f6c-000000000004,omar@example.com,Omar,,false,2025-01-02 10:00:00
`,
}

/** A helpdesk's way, by the settings of its environment. */
const helpdesk = `
import os, smtplib
from email.message import EmailMessage
mail = EmailMessage()
mail["From"], mail["To"], mail["Subject"] = os.environ["MAILER_SENDER_EMAIL"], "ada@example.com", "Ticket 7"
mail["Message-ID"] = "<ticket-7@helpdesk.example>"
mail.set_content("We look into it.")
with smtplib.SMTP(os.environ["SMTP_ADDRESS"], int(os.environ["SMTP_PORT"])) as server:
    server.login(os.environ["SMTP_USERNAME"], os.environ["SMTP_PASSWORD"])
    server.send_message(mail)
`

/** A website's way, by the settings of its file. */
const website = `
import { readFileSync } from 'node:fs'
import nodemailer from 'nodemailer'
const { mail } = JSON.parse(readFileSync('config.production.json'))
const reset = { from: mail.from, to: 'ada@example.com', subject: 'Reset', text: 'A link' }
await nodemailer.createTransport(mail.options).sendMail(reset)
`

const { browser, skip: whyNoBrowser } = await startBrowser()
const dns = await startDnsServer({ names: {} })
const relay = await startScriptedPeer({ offers: ['AUTH PLAIN'] })
after(() => relay.close())

/** The team's own page, of another origin than the service. */
let pasted = ''
const site = createServer((_request, response) =>
  response
    .setHeader('content-type', 'text/html; charset=utf-8')
    .end(`<!doctype html><html lang="en"><title>Acme</title><h1>Acme</h1>${pasted}</html>`),
)
await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening))
after(() => site.close())
const sitePort = (site.address() as AddressInfo).port
const [port, smtpPort, receiverPort] = [await freePort(), await freePort(), await freePort()]
const baseUrl = `http://127.0.0.1:${port}`
const visitor = 'visitor@example.com'

const home = makeTemporaryFolder('moving-in')
const env = {
  FACTEUR_DATA: join(home, 'data'),
  FACTEUR_PORT: String(port),
  FACTEUR_SUBMISSION_PORT: String(smtpPort),
  FACTEUR_LANGUAGE: 'en',
  FACTEUR_DNS_SERVERS: dns.address,
}
const page: PlayedPage = openMovingIn(home, {
  env,
  instead: {
    '127.0.0.1:3025': `127.0.0.1:${port}`,
    '2587': String(smtpPort),
    'localhost:8080': `localhost:${sitePort}`,
    '127.0.0.1:8080': `127.0.0.1:${receiverPort}`,
    'listen(8080)': `listen(${receiverPort})`,
    'smtps://resend@smtp.resend.com:465': `smtp://resend@127.0.0.1:${relay.port}?tls=none`,
    're_…': 're_test',
    '../moving/': '',
    'receiver.mjs &': 'receiver.mjs',
  },
})

test('a team moves in from Resend and listmonk', async (t) => {
  const missing = ['curl', 'python3'].find((name) => spawnSync(name, ['--version']).status !== 0)
  if (missing !== undefined) return t.skip(`no ${missing} on the PATH`)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  const service = await startProgram(t, { env })
  await service.saying('Facteur is ready')
  await service.saying(/SMTP for programs: 127\.0\.0\.1, port \d+/)

  const facteur = (line: string): Promise<string> => page.play(t, `npm run -s facteur -- ${line}`)
  const json = async <T>(line: string): Promise<T> =>
    JSON.parse(await facteur(`${line} --json`)) as T
  /** The newest captured mail of a workspace to an address, once it is there. */
  const mailTo = async (workspace: string, address: string, subject: RegExp): Promise<Email> => {
    interface Captured {
      data: { id: string; recipient: string; subject: string }[]
    }
    const fits = (mail: Captured['data'][number]): boolean =>
      mail.recipient === address && subject.test(mail.subject)
    const { data } = await until(
      () => json<Captured>(`captured list --workspace ${workspace}`),
      (list) => list.data.some(fits),
    )
    const id = data.find(fits)?.id ?? ''
    return PostalMime.parse(await facteur(`captured raw --workspace ${workspace} ${id}`))
  }

  await t.test('1. Two workspaces may write from one domain, and have their keys.', async () => {
    assert.match(await page.play(t, page.block(1, 'sh', 0)), /acme-news may write from addresses/)
    await page.play(t, page.block(1, 'sh', 1))
    assert.match(page.variable('NEWS_KEY'), /^fct_live_/)
  })

  await t.test('2. The app sends with Resend’s package; a repeated call sends once.', async () => {
    await page.play(t, page.block(2, 'sh', 1))
    const receipt = page.block(2, 'sh', 2)
    const ids = (await page.play(t, `${receipt}${receipt}`)).match(/ id: '[^']+'/g) ?? []
    assert.equal(ids.length, 2)
    assert.equal(new Set(ids).size, 1)
    const mail = await mailTo('acme', 'ada@example.com', /receipt/)
    assert.equal(mail.text?.trim(), 'Thank you for your order.')
  })

  await t.test('3. The helpdesk, the website, the server and curl send by SMTP.', async () => {
    const key = page.variable('SMTP_KEY')
    const settings = page.block(3, 'env').replaceAll('fct_live_…', key)
    const variables = [...settings.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      value,
    ])
    const sent = spawnSync('python3', ['-c', helpdesk], {
      env: { ...process.env, ...(Object.fromEntries(variables) as Record<string, string>) },
      encoding: 'utf8',
    })
    assert.equal(sent.status, 0, sent.stderr)
    const ticket = await mailTo('acme', 'ada@example.com', /Ticket/)
    assert.equal(ticket.messageId, '<ticket-7@helpdesk.example>')
    assert.deepEqual(ticket.from, { name: 'Acme support', address: 'support@acme.example' })

    const settingsFile = page.block(3, 'json').replaceAll('fct_live_…', key)
    writeFileSync(join(home, 'config.production.json'), settingsFile)
    writeFileSync(join(home, 'website.mjs'), website)
    await page.play(t, 'node website.mjs')
    await mailTo('acme', 'ada@example.com', /Reset/)

    await page.play(t, page.block(3, 'sh'))
    await mailTo('acme', 'ops@example.com', /Disk/)
  })

  await t.test(
    '3. The server’s Postfix too, under an address that is verified.',
    { skip: whyNoPostfix },
    async (own) => {
      const lines = page.block(3, 'ini').replaceAll('fct_live_…', page.variable('SMTP_KEY'))
      const postfix = await startPostfix(own, lines.trim().split('\n'))
      writeFileSync(
        join(home, 'cron.eml'),
        'From: root@host.test\r\nTo: ops@example.com\r\nSubject: Cron\r\n\r\nDone.\r\n',
      )
      await page.play(
        t,
        `curl -sS smtp://127.0.0.1:${postfix} --mail-from root@host.test --mail-rcpt ops@example.com --upload-file cron.eml`,
      )
      const mail = await mailTo('acme', 'ops@example.com', /Cron/)
      assert.equal(mail.from?.address, 'server@acme.example')
    },
  )

  await t.test(
    '4. Who left stays out, of both files; the others are subscribed with their consent.',
    async () => {
      // The suppressions of Resend are read from an account that answers as it does.
      const old = await json<{ key: string }>(
        'key create --workspace demo --name old --scopes subscribers:read,subscribers:write',
      )
      const body = { email: 'dead@example.com' }
      const added = await ask(baseUrl, 'POST /api/v1/suppressions', { key: old.key, body })
      assertAnswered(added, 201)
      const environment = 'env -u RESEND_BASE_URL RESEND_API_KEY=re_test'
      const command = page.block(4, 'sh', 0)
      assert.ok(command.startsWith(environment))
      await page.play(t, command.replace(environment, `env RESEND_API_KEY=${old.key}`))
      assert.match(
        readFileSync(join(home, 'resend-suppressions.csv'), 'utf8'),
        /^dead@example\.com,/m,
      )
      await page.play(t, page.block(4, 'sh', 1))
      const output = await page.play(t, page.block(4, 'sh', 2))
      assert.match(output, /Nothing was stored/)
      const refused = readFileSync(join(home, 'refused.csv'), 'utf8')
      for (const address of ['gus', 'dead', 'omar']) assert.match(refused, new RegExp(address))
      const stored = await json<{ data: { email: string; status: string; first_name: string }[] }>(
        'subscriber list --workspace acme-news',
      )
      assert.deepEqual(stored.data.map(({ email, status }) => `${email} ${status}`).toSorted(), [
        'ada@example.com subscribed',
        'lea@example.com subscribed',
      ])
    },
  )

  await t.test(
    '5. A visitor signs up on the team’s own page, and confirms by mail.',
    { skip: whyNoBrowser },
    async (own) => {
      const output = await page.play(t, page.block(5, 'sh'))
      pasted = output.slice(output.indexOf('<form'))
      const tab = await (await openContext(own, browser, { locale: 'en-GB' })).newPage()
      await tab.goto(`http://localhost:${sitePort}/`)
      await tab.getByRole('textbox', { name: 'E-mail address' }).fill(visitor)
      await tab.getByRole('button', { name: 'Subscribe' }).click()
      await tab.getByText('To finish, open the e-mail').waitFor()
      assert.equal(tab.url(), `http://localhost:${sitePort}/`)
      const mail = await mailTo('acme-news', visitor, /./)
      await tab.goto(/http:\/\/\S+/.exec(mail.text ?? '')?.[0] ?? assert.fail(mail.text))
      await tab.getByRole('button').click()
      await until(
        () =>
          json<{ data: unknown[] }>(`subscriber list --workspace acme-news --status subscribed`),
        ({ data }) => data.length === 3,
      )
    },
  )

  await t.test(
    '6. The newsletter reaches everybody who agreed, by name, and nobody who left.',
    async () => {
      assert.match(await page.play(t, page.block(6, 'sh')), /\{ id: '.*' \} null/)
      const mail = await mailTo('acme-news', 'ada@example.com', /News for Ada/)
      assert.match(mail.html ?? '', /Hello Ada/)
      assert.match((await mailTo('acme-news', 'lea@example.com', /News/)).subject ?? '', /Léa|you/)
      if (whyNoBrowser === false) await mailTo('acme-news', visitor, /News for you/)
      const campaigns = await until(
        () =>
          json<{ data: { status: string; recipients: number }[] }>(
            'campaign list --workspace acme-news',
          ),
        ({ data }) => data[0]?.status === 'sent',
      )
      assert.equal(campaigns.data[0]?.recipients, whyNoBrowser === false ? 3 : 2)
    },
  )

  await t.test(
    '7. The receiver verifies our calls with Resend’s package, and refuses others.',
    async () => {
      const receiver = page.begin(t, page.block(7, 'sh'))
      const url = `http://127.0.0.1:${receiverPort}/`
      const forged = await until(
        () => fetch(url, { method: 'POST', body: '{}' }).catch(() => null),
        (response) => response !== null,
      )
      assert.equal(forged?.status, 400)
      await page.play(t, page.block(7, 'sh', 1))
      await receiver.saying(/email\.bounced \[ 'bounced@simulator\.test' \]/)
    },
  )

  await t.test('8. A test of the app waits for its mail.', async () => {
    const result = JSON.parse(await page.play(t, page.block(8, 'sh'))) as {
      data: { subject: string }[]
    }
    assert.equal(result.data[0]?.subject, 'Your receipt')
  })

  await t.test(
    '9. With the relay and the records, mail leaves signed by the workspace’s own keys; who left the newsletter gets the reset.',
    async () => {
      await page.play(t, page.block(9, 'sh', 0))
      await page.play(t, page.block(9, 'sh', 1))
      for (const workspace of ['acme', 'acme-news']) {
        const { records } = await json<{
          records: { type: string; name: string; value: string }[]
        }>(`domain show --workspace ${workspace} acme.example`)
        for (const { type, name, value } of records)
          if (type === 'TXT') dns.set(name, { TXT: [value] })
      }
      const verified = await page.play(t, page.block(9, 'sh', 2))
      assert.equal(verified.match(/^found +DKIM/gm)?.length, 4, verified)
      // A running process signs some seconds later: the team starts it again instead of waiting.
      service.signalGroup('SIGINT')
      await service.ended
      await (await startProgram(t, { env })).saying('Facteur is ready')
      const key = page.variable('APP_KEY')
      const body = {
        from: 'hello@acme.example',
        to: 'gus@example.com',
        subject: 'Reset',
        text: 'A link',
      }
      assertAnswered(await ask(baseUrl, 'POST /api/v1/emails', { key, body }), 202)
      await relay.until(() => relay.mails.length === 1)
      assert.match(
        relay.mails[0]?.bytes.toString('latin1') ?? '',
        /^DKIM-Signature: [^]*?d=acme\.example/m,
      )
      assert.ok(relay.requests.some(({ lines }) => lines.some((line) => line.startsWith('AUTH'))))
      const dead = { ...body, to: 'dead@example.com' }
      assertRefused(
        await ask(baseUrl, 'POST /api/v1/emails', { key, body: dead }),
        'suppressed_recipient',
      )
      assert.match(await page.play(t, page.block(9, 'sh', 4)), /200.000/)
      await page.play(t, page.block(9, 'sh', 3))
    },
  )

  await t.test('10. The way back: contacts and suppressions are in files.', async () => {
    await page.play(t, page.block(10, 'sh', 0))
    const read = (name: string): string => readFileSync(join(home, name), 'utf8')
    assert.match(read('contacts.csv'), /^ada@example\.com,Ada,Byron,subscribed/m)
    assert.match(read('suppressed.csv'), /^dead@example\.com,manual/m)
    for (const address of ['gus', 'omar', 'dead'])
      assert.match(read('suppressed-news.csv'), new RegExp(`^${address}@example`, 'm'))
    await page.play(t, page.block(10, 'sh', 1))
  })
})
