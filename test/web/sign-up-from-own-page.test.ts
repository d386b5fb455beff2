/**
 * The snippet of a form on a page of another origin, in a real browser: by keyboard, for screen
 * readers, and where its origin is not one of the form's.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { openContext, startBrowser } from '../support/browser.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { axe } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'en' } })
const acme = await api.workspace('acme')
const editor = await signIn(api, { in: { [acme.id]: 'editor' } })

/** The owner's page: what is pasted into it, and nothing else of ours. */
let pasted = ''
const site = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(
    `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><main><h1>Shop</h1>${pasted}</main></html>`,
  )
})
await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening))
after(() => site.close())
const { port } = site.address() as AddressInfo
/** Another origin than the service's: another name, and another port. */
const shop = `http://localhost:${port}`

async function paste(form: object): Promise<void> {
  const asks = [{ field: 'firstName', label: null }]
  const body = { name: 'News', asks, origins: [shop], ...form }
  const created = await editor.ask('POST /workspaces/acme/api/v1/forms', { body })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  pasted = String(at(created.body, 'snippet'))
}

/** Its console says nothing that is not expected. */
async function open(t: TestContext, address: string, expected = /^$/): Promise<Page> {
  const logged: string[] = []
  const context = await openContext(t, browser, { locale: 'en-GB' }, () =>
    assert.deepEqual(
      logged.filter((text) => !expected.test(text)),
      [],
    ),
  )
  await context.route('https://shop.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Thanks</title><h1>Thank you</h1>' }),
  )
  const page = await context.newPage()
  page.on('console', (message) => logged.push(message.text()))
  page.on('pageerror', (error) => logged.push(String(error)))
  await page.goto(address)
  return page
}

const requested = (email: string): Promise<number> =>
  api.service.db.count(
    sql`select 1 from consent_evidence where workspace_id = ${acme.id} and email = ${email} and act = 'asked'`,
  )

test(
  'by keyboard: a wrong address is said and focused, a right one answered on the same page',
  { skip },
  async (t) => {
    await paste({})
    const page = await open(t, shop, /422/)
    const status = page.getByRole('status')
    assert.equal(
      pasted.slice(pasted.indexOf('<script')).split('\n').length,
      12,
      'ten lines of script',
    )
    await page.keyboard.press('Tab')
    // Complete for a browser, and not for mail.
    await page.keyboard.type('ada@localhost')
    await page.keyboard.press('Enter')
    await page.getByText('This is not a complete e-mail address').waitFor()
    assert.match(await status.innerText(), /^This is not a complete e-mail address/)
    const email = page.getByRole('textbox', { name: 'E-mail address' })
    assert.equal(await page.evaluate('document.activeElement.name'), 'email')
    await axe(page)
    await email.fill('ada@example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Ada')
    // The hidden field is on no one's way.
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Subscribe')
    await page.keyboard.press('Space')
    await page.getByText('To finish, open the e-mail that acme is sending you').waitFor()
    assert.match(await status.innerText(), /^To finish/)
    assert.equal(await email.inputValue(), '')
    assert.equal(page.url(), `${shop}/`)
    await until(
      () => requested('ada@example.com'),
      (count) => count === 1,
    )
  },
)

test('the owner’s page follows where there is one', { skip }, async (t) => {
  await paste({ thanks_url: 'https://shop.example/thanks' })
  const page = await open(t, shop)
  await page.getByRole('textbox', { name: 'E-mail address' }).fill('joan@example.com')
  await page.keyboard.press('Enter')
  await page.getByText('Thank you').waitFor()
  assert.equal(page.url(), 'https://shop.example/thanks')
  await until(
    () => requested('joan@example.com'),
    (count) => count === 1,
  )
})

test(
  'on a page of another origin, the browser refuses, the visitor reads it, and nobody is asked',
  { skip },
  async (t) => {
    await paste({})
    const page = await open(t, `http://127.0.0.1:${port}`, /CORS|ERR_FAILED|403/)
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('grace@example.com')
    await page.keyboard.press('Enter')
    await page.getByText('That did not work').waitFor()
    const rows = await api.service.db.count(
      sql`select 1 from sign_up where workspace_id = ${acme.id} and email = 'grace@example.com'`,
    )
    assert.equal(rows, 0)
  },
)
