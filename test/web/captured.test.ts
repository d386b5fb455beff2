/**
 * Captured mail in a real browser, for a workspace and for the operator: found in two clicks among
 * 2,000, read, deleted, with hostile mails, a phone, a keyboard.
 */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
import { openContext, startBrowser } from '../support/browser.ts'
import { draftOf } from '../support/campaign-world.ts'
import { operatorEntryPoints, operatorToken, ownAddress } from '../support/operator-entry-points.ts'
import { countPresses, pressesOn } from '../support/presses.ts'
import { until } from '../support/until.ts'
import { axe, openStranger, openWorkspace, phone, settled } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints({ host: '0.0.0.0' }) })
const workspace = await api.workspace('demo')
const empty = await api.workspace('vide')
const demo = { browser, api, workspace, slug: 'demo' }
/** A second service, for the picture alone. */
const fresh =
  process.env['UPDATE_IMAGES'] === '1' ? await startApi({ entry: operatorEntryPoints() }) : null

/** Until it is delivered; answers its captured copy. */
async function deliver(mail: object, from: TestWorkspace = workspace): Promise<string> {
  const body = {
    from: `Demo <hello@${from.domain}>`,
    to: 'you@example.com',
    subject: 'Hello',
    text: 'It works.',
    ...mail,
  }
  const answer = await ask(api.baseUrl, 'POST /api/v1/emails', { key: from.key, body })
  assertAnswered(answer, 202)
  const id = textAt(answer, 'id')
  const status = () =>
    api.service.db.value<string>(sql`select status from recipient where message_id = ${id}`)
  await until(status, (read) => read === 'delivered')
  return api.service.db.onlyValue<string>(
    sql`select id from captured_mail where message_id = ${id}`,
  )
}

/** A campaign of which `count` mails were captured, as its run leaves them. */
async function capturedCampaign(of: TestWorkspace, count: number): Promise<void> {
  await deliver({ to: 'seed@example.com', subject: 'Seed', html: '<p>Dear reader</p>' }, of)
  const id = await draftOf(api, of, { name: 'December shop news', subject: 'December' })
  await api.run(`insert into captured_mail (workspace_id, id, campaign_id, subscriber_id, position, return_path, recipient, raw, captured_at)
    select workspace_id, gen_random_uuid(), '${id}', gen_random_uuid(), 0, return_path, 'reader' || n || '@example.com', raw, captured_at + make_interval(secs => 0.001 * n)
    from captured_mail, generate_series(1, ${count}) n where workspace_id = ${of.id} and recipient = 'seed@example.com'`)
}

const mails = (page: Page) =>
  page.getByRole('list', { name: /^(?:Captured mail|E-mails capturés)$/ })
const chosen = (page: Page) => mails(page).locator('a[aria-current]')
const fits = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth <= innerWidth')

test(
  'an empty page says how, in both languages and on a phone; the first mail appears by itself, and opens',
  { skip },
  async (t) => {
    const world = { ...demo, workspace: empty, slug: 'vide' }
    const small = await openWorkspace(t, world, { at: 'captured', viewport: phone, dark: true })
    await small.page.getByRole('heading', { name: 'No e-mails yet' }).waitFor()
    assert.equal(await fits(small.page), true)
    await axe(small.page)
    const { page } = await openWorkspace(t, world, { at: 'captured', language: 'fr' })
    await page.getByRole('heading', { name: 'Aucun e-mail pour l’instant' }).waitFor()
    await page.getByText('hello@vide.test').waitFor()
    await page.getByText('bounced@simulator.test').waitFor()
    await axe(page)
    await deliver({ html: '<h1>Bonjour</h1>' }, empty)
    // No input on the page: it asks again by itself.
    await page.getByRole('link', { name: 'Hello' }).click()
    await page.frameLocator('iframe').getByRole('heading', { name: 'Bonjour' }).waitFor()
    await page.getByRole('article').getByText('Distribué').waitFor()
    await axe(page)
    await page.setViewportSize(phone)
    assert.equal(await fits(page), true)
    await page.getByRole('button', { name: 'Tous les e-mails' }).click()
    await page.getByRole('link', { name: 'Hello' }).waitFor()
    assert.equal(await fits(page), true)
  },
)

test(
  'one of 2,000 mails is found by a search and a click, or by two clicks; a campaign is one row',
  { skip },
  async (t) => {
    const many = await api.workspace('many')
    await capturedCampaign(many, 1_998)
    await deliver({ to: 'ada@example.com', subject: 'Your receipt' }, many)
    const world = { ...demo, workspace: many, slug: 'many' }
    const { page } = await openWorkspace(t, world, { at: 'captured' })
    const folded = page.getByRole('link', { name: '1,998 e-mails of December shop news' })
    await folded.waitFor()
    await page.getByRole('button', { name: 'All 2,000' }).waitFor()
    await axe(page)
    await countPresses(page)
    await page.getByRole('link', { name: 'Your receipt' }).click()
    await page.getByRole('article', { name: 'Your receipt' }).waitFor()
    assert.deepEqual(await pressesOn(page), { pointer: 1, key: 0 })
    await folded.click()
    await page.getByRole('link', { name: 'reader1997@example.com' }).click()
    await page.getByRole('article').getByText('reader1997@example.com').waitFor()
    assert.deepEqual(await pressesOn(page), { pointer: 3, key: 0 })
    // No row cuts its second line.
    const line = mails(page).getByText('reader1997@example.com')
    const [words, row] = await Promise.all([line.boundingBox(), line.locator('..').boundingBox()])
    assert.ok(words && row && words.y + words.height <= row.y + row.height, 'it is whole')
    const drawn = await mails(page).getByRole('listitem').count()
    assert.ok(drawn < 60, `${drawn} rows are drawn`)
    await axe(page)
    const size = await mails(page).getByRole('listitem').first().getAttribute('aria-setsize')
    assert.equal(size, '-1', 'more are to come')
    const search = page.getByRole('searchbox')
    await search.fill('to:reader77@')
    await page.getByRole('link', { name: 'reader77@example.com' }).click()
    await page.getByRole('article').getByText('reader77@example.com').waitFor()
    await search.fill('nothing like it')
    await page.getByText('No e-mails match').waitFor()
    await axe(page)
    await page.getByRole('button', { name: 'Clear search' }).click()
    await folded.waitFor()
    await page.setViewportSize(phone)
    await settled(page)
    assert.equal(await fits(page), true)
  },
)

test(
  'by keyboard: j and k walk, / searches, o opens the message, # deletes; a viewer deletes nothing',
  { skip },
  async (t) => {
    const keys = await api.workspace('keys')
    for (const subject of ['Third', 'Second', 'First']) await deliver({ subject }, keys)
    const world = { ...demo, workspace: keys, slug: 'keys' }
    const reader = await openWorkspace(t, world, { at: 'captured', role: 'viewer' })
    await reader.page.getByRole('link', { name: 'First' }).waitFor()
    const { page } = await openWorkspace(t, world, { at: 'captured', role: 'editor' })
    await page.getByRole('link', { name: 'First' }).waitFor()
    const opened = (name: string) => page.getByRole('article', { name }).waitFor()
    await page.keyboard.press('j')
    await opened('First')
    await page.keyboard.press('j')
    await opened('Second')
    await page.keyboard.press('k')
    await opened('First')
    await chosen(page).getByText('First').waitFor()
    await page.keyboard.press('#')
    await opened('Second')
    await page.getByRole('link', { name: 'First' }).waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('third j')
    await page.getByText('No e-mails match').waitFor()
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByRole('link', { name: 'Third' }).click()
    await opened('Third')
    await page.keyboard.press('o')
    await page.getByRole('heading', { level: 1, name: 'Third' }).waitFor()
    await page.getByRole('link', { name: 'Captured mail', exact: true }).last().click()
    await opened('Third')
    await reader.page.getByRole('link', { name: 'Third' }).click()
    await reader.page.getByRole('article').waitFor()
    await reader.page.keyboard.press('#')
    await settled(reader.page)
    assert.equal(await reader.page.getByRole('button', { name: /Delete/ }).count(), 0)
    await reader.page.getByRole('article', { name: 'Third' }).waitFor()
  },
)

test(
  'unread mail is bold for all members until one opens it; kinds are counted; all that match are deleted',
  { skip },
  async (t) => {
    const team = await api.workspace('team')
    for (const subject of ['Receipt 1', 'Receipt 2', 'Other']) await deliver({ subject }, team)
    const world = { ...demo, workspace: team, slug: 'team' }
    const first = await openWorkspace(t, world, { at: 'captured', role: 'viewer' })
    const { page } = await openWorkspace(t, world, { at: 'captured' })
    await page.getByRole('button', { name: 'Unread 3' }).waitFor()
    await first.page.getByRole('link', { name: 'Receipt 1' }).click()
    await first.page.getByRole('button', { name: 'Unread 2' }).waitFor()
    await page.getByRole('button', { name: 'Unread 2' }).click()
    await page.getByRole('link', { name: 'Receipt 1' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'All 3' }).click()
    const weight = (name: string) =>
      page.evaluate(
        `getComputedStyle([...document.querySelectorAll('a[data-unread]')].find(({ textContent }) => textContent.includes('${name}')).firstElementChild).fontWeight`,
      )
    await page.getByRole('link', { name: 'Receipt 1' }).waitFor()
    assert.deepEqual([await weight('Receipt 1'), await weight('Other')], ['400', '700'])
    await page.getByRole('searchbox').fill('receipt')
    await page.getByRole('link', { name: 'Other' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Delete all results…' }).click()
    await axe(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No e-mails match').waitFor()
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByRole('link', { name: 'Other' }).waitFor()
    await until(async () => (await mails(page).getByRole('listitem').count()) === 1)
  },
)

test(
  'a mail is as wide as is chosen, and its frame as high as it; text, headers, source, links, checks and file',
  { skip },
  async (t) => {
    const id = await deliver({
      to: 'parts@example.com',
      subject: 'Parts',
      html: '<div style="height:1400px">Tall</div><img src="https://images.example/a.png"><a href="https://example.com/in">Sign in</a>',
    })
    const { page } = await openWorkspace(t, demo, { at: `captured/${id}` })
    const frame = page.locator('iframe')
    const inner = frame.contentFrame()
    await inner.getByText('Tall').waitFor()
    const isWhole = (): Promise<boolean> =>
      inner
        .locator('html')
        .evaluate(
          'innerHeight > 1400 && innerHeight < 1600 && document.documentElement.scrollHeight <= innerHeight',
        )
    await until(isWhole)
    const widthOf = async () => Number(await inner.locator('html').evaluate('innerWidth'))
    assert.ok((await widthOf()) >= 600)
    await page.getByText('Phone, 375 px').click()
    await until(widthOf, (width) => width === 375)
    await until(isWhole)
    const tab = (name: string) => page.getByRole('tab', { name }).click()
    await tab('Text')
    await page.getByLabel('Text', { exact: true }).getByText('It works.').waitFor()
    await tab('Headers')
    await page.getByText('To: parts@example.com').waitFor()
    await tab('Source')
    await page.getByText('MIME-Version: 1.0').waitFor()
    await tab('Links')
    const link = page.getByRole('region', { name: 'Links' }).getByRole('link', { name: 'Sign in' })
    assert.equal(await link.getAttribute('href'), 'https://example.com/in')
    await axe(page)
    await tab('Checks')
    await page.getByText('1 image without alt text').waitFor()
    await page.getByText('No List-Unsubscribe').waitFor()
    await axe(page)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download .eml' }).click(),
    ])
    assert.match(file.suggestedFilename(), /\.eml$/)
  },
)

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
    const { page } = await openStranger(t, { browser, api })
    for (const [index, piece] of hostile.entries()) {
      const id = await deliver({
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
      await page.goto(`${api.baseUrl}/captured/demo/${id}`)
      await page.getByRole('heading', { level: 2, name: `Hostile ${index}` }).waitFor()
      const url = page.url()
      const frame = page.locator('main iframe')
      await frame.contentFrame().locator('#kept').waitFor()
      assert.equal(await frame.getAttribute('sandbox'), 'allow-same-origin')
      await settled(page)
      assert.equal(page.url(), url)
      assert.ok((await page.title()).startsWith('Captured mail'))
      assert.equal(await page.locator('iframe').count(), 1)
      // The same HTML on a page of its own has no more rights than in its frame.
      await page.goto(`${api.baseUrl}${await frame.getAttribute('src')}`)
      await page.locator('#kept').waitFor()
      assert.notEqual(await page.title(), 'taken')
    }
    assert.deepEqual(requests, [])
  },
)

test(
  'the operator sees all workspaces in one list, or one; from elsewhere the token gives access, and leaving ends it',
  { skip: skip || (ownAddress() === null && 'no address but loopback') },
  async (t) => {
    await deliver({ subject: 'Of demo' })
    await deliver({ subject: 'Of vide' }, empty)
    const here = await openStranger(t, { browser, api }, { viewport: phone })
    await here.page.goto(`${api.baseUrl}/captured?workspace=demo`)
    await here.page.getByRole('link', { name: 'Of demo' }).waitFor()
    assert.equal(await here.page.getByRole('link', { name: 'Of vide' }).count(), 0)
    assert.equal(await here.page.getByRole('button', { name: 'Sign out' }).count(), 0)
    assert.equal(await fits(here.page), true)
    await axe(here.page)
    const base = api.baseUrl.replace('127.0.0.1', ownAddress() ?? '')
    // The form stands on a page that is not there, and the browser says so.
    // Nor are its headers meant for an origin without TLS.
    const context = await openContext(t, browser, { locale: 'fr-FR' }, () => undefined)
    const page = await context.newPage()
    await page.goto(`${base}/app/-/captured`)
    await page.getByLabel("Jeton de l'exploitant").fill('not the token')
    await page.getByRole('button', { name: 'Entrer' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel("Jeton de l'exploitant").fill(operatorToken)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Of vide' }).click()
    await page.getByRole('article', { name: 'Of vide' }).waitFor()
    await page.getByLabel('Espace de travail').selectOption('demo')
    await page.getByRole('link', { name: 'Of demo' }).click()
    await page.getByRole('article', { name: 'Of demo' }).waitFor()
    await axe(page)
    await page.keyboard.press('#')
    await page.getByRole('link', { name: 'Of demo' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Se déconnecter' }).click()
    await page.getByLabel("Jeton de l'exploitant").waitFor()
  },
)

test(
  'the picture in the README',
  { skip: skip || (fresh === null && 'taken with UPDATE_IMAGES=1') },
  async (t) => {
    if (!fresh) return
    const shop = await fresh.workspace('demo')
    const shown = [
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
    for (const mail of shown) {
      const body = { from: `Demo <hello@${shop.domain}>`, ...mail }
      const answer = await ask(fresh.baseUrl, 'POST /api/v1/emails', { key: shop.key, body })
      await shop.capturedMails(textAt(answer, 'id'), 1)
    }
    const { page } = await openStranger(
      t,
      { browser, api: fresh },
      { viewport: { width: 1280, height: 800 } },
    )
    await page.goto(`${fresh.baseUrl}/captured`)
    await page.getByRole('link', { name: 'Votre facture' }).click()
    await page.getByRole('article').getByText('Delivered').waitFor()
    const folder = join(import.meta.dirname, '..', '..', 'docs', 'images')
    mkdirSync(folder, { recursive: true })
    await page.screenshot({ path: join(folder, 'captured.png') })
  },
)
