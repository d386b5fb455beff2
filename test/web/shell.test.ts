/** The frame of every page: the menu, the language, the appearance, the keyboard; and how the pages are served. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
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
