/**
 * The frame of every page: the menu, the language, the appearance, the keyboard; and how the pages
 * are served.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const shop = { browser, api, workspace: await api.workspace('shop'), slug: 'shop' }

test('the language and the appearance are changed in the menu, and stay', { skip }, async (t) => {
  const { page } = await openWorkspace(t, shop)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await axe(page)
  await page.getByRole('button', { name: '@people.test' }).click()
  await page.getByText('Français').click()
  await page.getByRole('heading', { level: 1, name: 'Vue d’ensemble' }).waitFor()
  await page.getByText('Sombre').click()
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Vue d’ensemble' }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.lang'), 'fr')
  assert.equal(await page.evaluate('document.documentElement.dataset.mantineColorScheme'), 'dark')
  await axe(page)
})

test('on a phone the menu is behind a button', { skip }, async (t) => {
  const { page } = await openWorkspace(t, shop, { viewport: phone })
  const menu = page.getByRole('navigation')
  assert.equal(await menu.getByRole('link', { name: 'Overview' }).isVisible(), false)
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await menu.getByRole('link', { name: 'Overview' }).waitFor()
  await axe(page)
})

test(
  'a session that ends under an open dialog: one signs in above it, and the dialog goes on with what was typed',
  { skip },
  async (t) => {
    const password = 'a password of ada'
    const { page, context } = await openWorkspace(t, shop, {
      at: 'suppression',
      email: 'ada@people.test',
      password,
      refused: [401],
    })
    await page.getByRole('button', { name: 'Suppress an address' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Suppress an address' })
    await dialog.getByRole('textbox').first().fill('gone@example.com')
    await context.clearCookies()
    await dialog.getByRole('button', { name: 'Suppress' }).click()
    const again = page.getByRole('dialog', { name: 'You were signed out' })
    await again.getByLabel(/^Password/).fill(password)
    assert.equal(
      await again.getByRole('textbox', { name: 'E-mail address' }).inputValue(),
      'ada@people.test',
    )
    await axe(page)
    await again.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('gone@example.com no longer receives e-mails').waitFor()
    await page.getByRole('cell', { name: 'gone@example.com', exact: true }).waitFor()
  },
)

test('a workspace that is not there has no menu', { skip }, async (t) => {
  const { page } = await openWorkspace(t, shop, { refused: [404] })
  await page.goto(`${api.baseUrl}/app/nowhere/overview`)
  await page.getByText('Page not found').first().waitFor()
  assert.deepEqual(await page.getByRole('navigation').getByRole('link').count(), 0)
})

test(
  'another filter keeps the rows until its own are there, and the request of the one before is given up',
  { skip },
  async (t) => {
    for (const email of ['ada@example.com', 'bob@example.com'])
      await ask(api.baseUrl, 'POST /api/v1/subscribers', {
        key: shop.workspace.key,
        body: { email, double_opt_in: false },
      })
    const { page } = await openWorkspace(t, shop, { at: 'subscribers' })
    await page.getByRole('link', { name: 'bob@example.com' }).waitFor()
    const waiting = Promise.withResolvers<void>()
    const givenUp = page.waitForEvent('requestfailed', (request) => request.url().includes('q=a'))
    await page.route('**/api/v1/audience/contacts?*', async (route) => {
      if (new URL(route.request().url()).searchParams.get('q') === 'a') await waiting.promise
      await route.fallback().catch(() => undefined)
    })
    const search = page.getByRole('searchbox', { name: 'Search an address or a name' })
    await search.fill('a')
    await page.locator('[data-stale=true]').waitFor()
    await page.getByRole('link', { name: 'bob@example.com' }).waitFor()
    await search.fill('ada')
    await givenUp
    waiting.resolve()
    await page.locator('[data-stale=true]').waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('link', { name: /@example.com/ }).count(), 1)
  },
)
