/**
 * A session that ends under a mail, a key or a form that is being written: the user signs in above
 * it, and it goes on with all that was typed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('shop')
const shop = { browser, api, workspace, slug: 'shop' }
const password = 'a password of ada'
const options = { password, refused: [401] }

/** The session ends, the act asks for the password, and goes on by itself once it is there. */
async function signInAbove(context: BrowserContext, page: Page, act: string): Promise<void> {
  await context.clearCookies()
  await page.getByRole('button', { name: act, exact: true }).last().click()
  const again = page.getByRole('dialog', { name: 'You were signed out' })
  await again.getByLabel(/^Password/).fill(password)
  await again.getByRole('button', { name: 'Sign in', exact: true }).click()
  await again.waitFor({ state: 'hidden' })
}

test('a mail that is being written leaves as it was written', { skip }, async (t) => {
  const { page, context } = await openWorkspace(t, shop, { at: 'emails/new', ...options })
  await page.getByLabel('To', { exact: false }).first().fill('camille@example.com')
  await page.getByLabel('Subject').fill('Written before')
  await page.getByRole('textbox', { name: 'Text' }).fill('As promised.')
  await signInAbove(context, page, 'Send')
  await page.getByRole('heading', { level: 1, name: 'Written before' }).waitFor()
  assert.equal(await workspace.messages(), 1)
})

test('a key is made with the name and the permissions that were chosen', { skip }, async (t) => {
  const { page, context } = await openWorkspace(t, shop, { at: 'settings/keys', ...options })
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByLabel('Name').fill('Chosen before')
  await page.getByRole('checkbox', { name: 'campaigns:read' }).check()
  await signInAbove(context, page, 'Create a key')
  await page
    .getByRole('dialog')
    .getByText(/^fct_live_/)
    .waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row').filter({ hasText: 'Chosen before' }).waitFor()
})

test('a form is saved with its words', { skip }, async (t) => {
  const { page, context } = await openWorkspace(t, shop, { at: 'settings/forms/new', ...options })
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Typed before')
  await signInAbove(context, page, 'Create form')
  await page.getByText('Its page', { exact: true }).waitFor()
  await page.getByRole('heading', { level: 1, name: 'Typed before' }).waitFor()
})
