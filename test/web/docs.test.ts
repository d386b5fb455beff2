/**
 * The reference in a real browser: calls are tried with a key that is stored nowhere, and no
 * request leaves the page's origin.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startApi } from '../support/api.ts'
import { openContext, startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('shop')

interface Opened {
  page: Page
  /** All that the page has asked for, of whomever. */
  requests: string[]
}

/** When the test is done, the console has said nothing, and everything was asked of our origin. */
async function open(t: TestContext, options: BrowserContextOptions = {}): Promise<Opened> {
  const requests: string[] = []
  const logged: string[] = []
  const context = await openContext(t, browser, { locale: 'en-GB', ...options }, () => {
    assert.deepEqual(logged, [])
    assert.deepEqual(
      requests.filter((address) => new URL(address).origin !== api.baseUrl),
      [],
    )
  })
  const page = await context.newPage()
  page.on('request', (request) => requests.push(request.url()))
  // The browser reports a refusal that a reader provokes too.
  page.on(
    'console',
    (message) => /Failed to load resource/.test(message.text()) || logged.push(message.text()),
  )
  page.on('pageerror', (error) => logged.push(error.message))
  await page.goto(`${api.baseUrl}/docs`)
  return { page, requests }
}

const formOf = (page: Page, call: string) => {
  const [method = '', path = ''] = call.split(' ')
  return page.locator(`form[data-method="${method}"][data-path="${path}"]`)
}

test('a call is tried with a key: the answer stands below it', { skip }, async (t) => {
  const { page, requests: answer } = await open(t)
  const form = formOf(page, 'GET /api/v1/me')
  await form.getByRole('button').click()
  await form.getByText('401 Unauthorized').waitFor()
  await page.getByLabel('API key').fill(shop.key)
  await form.getByRole('button').click()
  await form.getByText('200 OK').waitFor()
  assert.match(await form.locator('pre').innerText(), /x-request-id: [\s\S]*"slug": "shop"/)
  assert.ok(answer.length > 4)
})

test(
  'Enter in the field of the key checks the key: the answer stands below the call that names its workspace',
  { skip },
  async (t) => {
    const { page } = await open(t)
    await page.getByLabel('API key').fill(shop.key)
    await page.keyboard.press('Enter')
    const form = formOf(page, 'GET /api/v1/me')
    await form.getByText('200 OK').waitFor()
    await form.getByText('"slug": "shop"').waitFor()
  },
)

test(
  'a message is sent from the page, once the reader has said that it is meant',
  { skip },
  async (t) => {
    const { page, requests: result } = await open(t)
    await page.getByLabel('API key').fill(shop.key)
    const form = formOf(page, 'POST /api/v1/emails')
    const body = form.locator('textarea')
    const example: Record<string, unknown> = JSON.parse(await body.inputValue())
    await body.fill(JSON.stringify({ ...example, from: 'hello@shop.test' }))
    await form.getByLabel('Idempotency-Key').fill('from-the-page')
    const answerWith = async (answer: 'accept' | 'dismiss'): Promise<void> => {
      const click = form.getByRole('button').click()
      await (await page.waitForEvent('dialog'))[answer]()
      await click
    }
    await answerWith('dismiss')
    assert.ok(!result.includes(`${api.baseUrl}/api/v1/emails`))
    await answerWith('accept')
    await form.getByText('202 Accepted').waitFor()
    assert.equal(await shop.messages(), 1)
  },
)

test(
  'path and query go where they belong, and a refusal comes in the language of the page',
  { skip },
  async (t) => {
    const { page, requests: answer } = await open(t)
    await page.getByLabel('API key').fill(shop.key)
    const list = formOf(page, 'GET /api/v1/emails')
    await list.getByLabel('status').selectOption('bounced')
    await list.getByLabel('limit').fill('2')
    await list.getByRole('button').click()
    await list.getByText('200 OK').waitFor()
    assert.ok(
      answer.includes(`${api.baseUrl}/api/v1/emails?limit=2&status=bounced`),
      answer.join('\n'),
    )
    const read = formOf(page, 'GET /api/v1/subscribers/{email}')
    await read.getByLabel('email').fill("o'neil+a/b@example.com")
    await read.getByRole('button').click()
    await read.getByText('404 Not Found').waitFor()
    assert.match(await read.locator('pre').innerText(), /This object does not exist/)
    assert.ok(
      answer.includes(`${api.baseUrl}/api/v1/subscribers/o'neil%2Ba%2Fb%40example.com`),
      answer.join('\n'),
    )
  },
)

test(
  'the key is stored nowhere: not in the browser’s stores, not in the address, not after a reload',
  { skip },
  async (t) => {
    const { page } = await open(t)
    await page.getByLabel('API key').fill(shop.key)
    await formOf(page, 'GET /api/v1/me').getByRole('button').click()
    await page.getByText('200 OK').waitFor()
    const stores = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    )
    assert.equal(stores, JSON.stringify([{}, {}, '', `${api.baseUrl}/docs`]))
    await page.reload()
    assert.equal(await page.getByLabel('API key').inputValue(), '')
  },
)

test('one choice opens the examples of one language on the whole page', { skip }, async (t) => {
  const { page } = await open(t)
  const opened = (title: string | RegExp) =>
    page.locator('section > details[open] > summary', { hasText: title })
  const curls = await opened('curl').count()
  await page.getByLabel('Examples').selectOption('TypeScript')
  assert.equal(await opened('facteur/client').count(), curls)
  assert.equal(await opened(/^curl$/).count(), 0)
})

test(
  'without JavaScript the reference reads whole, and nothing pretends to work',
  { skip },
  async (t) => {
    const { page } = await open(t, { javaScriptEnabled: false })
    assert.ok(await page.getByRole('heading', { name: 'Send a message' }).isVisible())
    assert.equal(await page.locator('form.try:visible, .tools:visible').count(), 0)
  },
)

test(
  'on a phone, in French, in the dark: nothing is wider than the screen',
  { skip },
  async (t) => {
    const { page } = await open(t, {
      locale: 'fr-FR',
      viewport: { width: 320, height: 640 },
      colorScheme: 'dark',
    })
    await page.getByLabel("Clé d'API").waitFor()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
  },
)

const expected = process.env['UPDATE_IMAGES'] === '1'

test(
  'the picture in the README',
  { skip: skip || (!expected && 'taken with UPDATE_IMAGES=1') },
  async (t) => {
    const { page } = await open(t, { viewport: { width: 1100, height: 640 }, deviceScaleFactor: 2 })
    await page.getByLabel('API key').fill(shop.key)
    const form = formOf(page, 'GET /api/v1/suppression')
    await shop.suppress('camille@example.com', 'unsubscribe')
    await form.getByLabel('email').fill('camille@example.com')
    await form.getByRole('button').click()
    await form.getByText('200 OK').waitFor()
    await form.evaluate('(form) => form.scrollIntoView({ block: "center" })')
    await page.screenshot({ path: join(import.meta.dirname, '../../docs/images/docs.png') })
  },
)
