/**
 * The capture mailbox in a real browser: from the first mail to the page that shows it, with
 * hostile mails, a phone, a keyboard.
 */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'node:net'
import { after, test, type TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
import { openContext, startBrowser } from '../support/browser.ts'
import { operatorEntryPoints, operatorToken, ownAddress } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints({ host: '0.0.0.0' }) })
const workspace = await api.workspace('demo')
/** A second service, for the picture alone. */
const fresh =
  process.env['UPDATE_IMAGES'] === '1' ? await startApi({ entry: operatorEntryPoints() }) : null

/**
 * A page of its own profile. When the test is done, its console has said nothing that was not
 * expected.
 */
async function open(
  t: TestContext,
  { expected = /^$/, ...options }: BrowserContextOptions & { expected?: RegExp } = {},
): Promise<Page> {
  const logged: string[] = []
  const context = await openContext(
    t,
    browser,
    { locale: 'fr-FR', viewport: { width: 1000, height: 760 }, ...options },
    () =>
      assert.deepEqual(
        logged.filter((text) => !expected.test(text)),
        [],
      ),
  )
  const page = await context.newPage()
  page.on('console', (message) => logged.push(message.text()))
  page.on('pageerror', (error) => logged.push(String(error)))
  page.on('dialog', (dialog) => {
    logged.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return page
}

async function send(mail: object): Promise<string> {
  const body = {
    from: `Demo <hello@${workspace.domain}>`,
    to: 'you@example.com',
    subject: 'Hello',
    text: 'It works.',
    ...mail,
  }
  const answer = await ask(api.baseUrl, 'POST /api/v1/emails', { key: workspace.key, body })
  assertAnswered(answer, 202)
  return textAt(answer, 'id')
}

/**
 * Its page loads itself again until the mail is delivered, which would cut off what a test does
 * there.
 */
async function deliver(mail: object): Promise<string> {
  const id = await send(mail)
  const status = () =>
    api.service.db.value<string>(sql`select status from recipient where message_id = ${id}`)
  await until(status, (read) => read === 'delivered')
  return id
}

const widthBeyond = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

test(
  'the first mail: the empty page says how, the mail appears by itself, and opens',
  { skip },
  async (t) => {
    const page = await open(t)
    await page.goto(`${api.baseUrl}/captured`)
    await page.getByRole('heading', { name: "Aucun e-mail pour l'instant" }).waitFor()
    await send({ html: '<h1>Bonjour</h1>' })
    // No input on the page: it asks again by itself.
    const link = page.getByRole('link', { name: 'Hello' })
    await link.waitFor()
    await link.click()
    await page.getByRole('heading', { name: 'Hello' }).waitFor()
    await page.getByText('distribué').waitFor()
    await page.frameLocator('iframe').getByRole('heading', { name: 'Bonjour' }).waitFor()
    assert.match((await page.locator('pre.text').first().textContent()) ?? '', /It works\./)
  },
)

test(
  'a mail has the width of a computer’s window in every window but a phone’s',
  { skip },
  async (t) => {
    const page = await open(t)
    const id = await deliver({ to: 'wide@example.com', subject: 'Wide', html: '<p>Wide</p>' })
    await page.goto(`${api.baseUrl}/captured`)
    await page.getByRole('link', { name: 'Wide' }).click()
    const mail = page.frameLocator('iframe')
    await mail.getByText('Wide').waitFor()
    for (const width of [1000, 640, 360]) {
      await page.setViewportSize({ width, height: 760 })
      const room = Number(await mail.locator('html').evaluate('innerWidth'))
      assert.equal(room >= 600, width > 360, `${id} at ${width}: ${room}`)
      assert.equal(await widthBeyond(page), 0)
    }
  },
)

test('English where the browser asks for it', { skip }, async (t) => {
  const page = await open(t, { locale: 'en-GB' })
  await page.goto(`${api.baseUrl}/captured`)
  await page.getByRole('heading', { name: 'Captured mail' }).waitFor()
  assert.equal(await page.locator('html').getAttribute('lang'), 'en')
})

test('by keyboard alone: to the newest mail and into it', { skip }, async (t) => {
  const page = await open(t)
  await page.goto(`${api.baseUrl}/captured?refresh=off`)
  for (let presses = 0; presses < 10; presses++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(`document.activeElement.matches('.mails a')`)) break
  }
  const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
  assert.equal(outline, 'solid', 'one sees where one is')
  await page.keyboard.press('Enter')
  await page.locator('iframe').waitFor()
})

/** Another site: every connection to it was lured there. */
const requests: number[] = []
const trap = createServer((socket) => {
  requests.push(socket.remotePort ?? 0)
  socket.destroy()
})
await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
after(() => trap.close())
const trapped = trap.address()
const site = `http://127.0.0.1:${typeof trapped === 'object' ? trapped?.port : 0}`

const script = `document.title = 'taken'; parent.document.title = 'taken'; top.location = '${site}/'; alert(1)`
const hostile = [
  `<script>${script}</script>`,
  `<img src=x onerror="${script}"><img src="${site}/pixel.gif">`,
  `<svg onload="${script}"></svg>`,
  `<iframe srcdoc="<script>${script}</script>"></iframe><iframe src="${site}/frame"></iframe>`,
  `<form action="${site}/form"><button autofocus>go</button></form>`,
  `<meta http-equiv="refresh" content="0; url=${site}/">`,
  `<base href="${site}/"><img src="a.png"><link rel="prefetch" href="${site}/p"><link rel="preconnect" href="${site}">`,
  `<link rel="stylesheet" href="${site}/a.css"><style>@import '${site}/b.css'; @font-face { font-family: f; src: url(${site}/f) } body { font-family: f; background: url(${site}/c.png) }</style>`,
  `<object data="${site}/d"></object><embed src="${site}/e"><video src="${site}/f" autoplay></video>`,
  `</title></textarea></pre></iframe><script>${script}</script>`,
]

test(
  'hostile mails: no script runs, no request leaves, the page does not change',
  { skip },
  async (t) => {
    const page = await open(t)
    for (const [index, piece] of hostile.entries()) {
      await deliver({
        ...{
          subject: `Hostile ${index} ${piece}`.slice(0, 900),
          text: piece,
          html: `<p id="kept">kept</p>${piece}`,
        },
        from: `${JSON.stringify(piece.slice(0, 60))} <hello@demo.test>`,
        attachments: [
          { filename: piece.slice(0, 200), content: 'AAAA', content_type: 'text/html' },
        ],
      })
      await page.goto(`${api.baseUrl}/captured?refresh=off`)
      await page.locator('.mails a').first().click()
      await page.getByRole('heading', { level: 1, name: `Hostile ${index}` }).waitFor()
      const url = page.url()
      await page.frameLocator('main iframe').locator('#kept').waitFor()
      await page.waitForLoadState('networkidle')
      assert.equal(page.url(), url)
      assert.ok((await page.title()).startsWith(`Hostile ${index}`))
      assert.equal(await page.locator('main script, main form, main img, main object').count(), 0)
      assert.equal(await page.locator('iframe').count(), 1)
      // The same HTML on a page of its own has no more rights than in its frame.
      await page.goto(`${url}/html`)
      await page.locator('#kept').waitFor()
      assert.notEqual(await page.title(), 'taken')
    }
    assert.deepEqual(requests, [])
  },
)

for (const colorScheme of ['light', 'dark'] as const) {
  test(
    `a phone of 360 px, ${colorScheme}: nothing is wider than the screen`,
    { skip },
    async (t) => {
      const page = await open(t, { viewport: { width: 360, height: 740 }, colorScheme })
      await deliver({
        subject: `A${'long'.repeat(60)}word`,
        to: `${'x'.repeat(60)}@example.com`,
        text: 'y'.repeat(500),
      })
      await page.goto(`${api.baseUrl}/captured?refresh=off`)
      assert.equal(await widthBeyond(page), 0)
      await page.locator('.mails a').first().click()
      await page.locator('article').waitFor()
      // Before its style is there, a page is as wide as it likes.
      await page.waitForLoadState('load')
      assert.equal(await widthBeyond(page), 0)
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      assert.equal(ground, colorScheme === 'dark' ? 'rgb(20, 23, 28)' : 'rgb(246, 247, 249)')
    },
  )
}

test(
  'from elsewhere: the token gives access, and leaving ends it',
  { skip: skip || (ownAddress() === null && 'no address but loopback') },
  async (t) => {
    // The form stands on a page that is not there, and the browser says so.
    const page = await open(t, { expected: /status of 404/ })
    const base = api.baseUrl.replace('127.0.0.1', ownAddress() ?? '')
    await page.goto(`${base}/captured`)
    await page.getByLabel("Jeton de l'exploitant").fill('not the token')
    await page.getByRole('button', { name: 'Entrer' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel("Jeton de l'exploitant").fill(operatorToken)
    await page.keyboard.press('Enter')
    await page.locator('.mails').waitFor()
    await page.getByRole('button', { name: 'Quitter' }).click()
    await page.getByLabel("Jeton de l'exploitant").waitFor()
  },
)

test(
  'the picture in the README',
  { skip: skip || (fresh === null && 'taken with UPDATE_IMAGES=1') },
  async (t) => {
    if (!fresh) return
    const demo = await fresh.workspace('demo')
    const mails = [
      {
        to: 'claire@example.com',
        subject: 'Votre facture de novembre',
        text: 'Bonjour Claire,\n\nvotre facture est jointe.',
      },
      { to: 'complained@simulator.test', subject: 'Nos nouveautés', text: 'Bonjour' },
      { to: 'bounced@simulator.test', subject: 'Confirmez votre adresse', text: 'Bonjour' },
      { to: 'ana@example.com', subject: 'Réinitialiser votre mot de passe', text: 'Bonjour Ana' },
      { to: 'you@example.com', subject: 'Hello', text: 'It works.' },
    ]
    for (const mail of mails) {
      const body = { from: `Demo <hello@${demo.domain}>`, ...mail }
      const answer = await ask(fresh.baseUrl, 'POST /api/v1/emails', { key: demo.key, body })
      await demo.capturedMails(textAt(answer, 'id'), 1)
    }
    const page = await open(t, {
      locale: 'en-GB',
      viewport: { width: 900, height: 560 },
      deviceScaleFactor: 2,
    })
    await page.goto(`${fresh.baseUrl}/captured`)
    while ((await page.locator('.sent').count()) > 0) await page.reload()
    const folder = join(import.meta.dirname, '..', '..', 'docs', 'images')
    mkdirSync(folder, { recursive: true })
    await page.screenshot({ path: join(folder, 'captured.png') })
  },
)
