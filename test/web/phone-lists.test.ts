/**
 * The lists on a phone, in French: where the first row begins, that the filters and the acts of a
 * page are behind one button each, and that nothing is too wide or too small for a finger.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { liveIn } from '../support/lived-in.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { wordsOfTour } from '../support/tour-stops.ts'
import { axe, openWorkspace, phone, settled } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const slug = 'paper-shop'
const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace(slug)
if (skip === false) await liveIn(api, workspace, slug, wordsOfTour)

/** In pixels of a page of 740. */
const beginsBefore = 280

const lists = [
  ...['emails', 'subscribers', 'campaigns', 'suppression', 'captured', 'webhooks', 'segments'],
  ...['subscribers/import', 'settings/requests', 'settings/audit'],
  ...['settings/forms', 'settings/keys', 'settings/senders', 'settings/domains'],
]

for (const viewport of [phone, { width: 390, height: 844 }])
  test(`the first row begins near the top at ${viewport.width} px`, { skip }, async (t) => {
    const { page, turn } = await openWorkspace(
      t,
      { browser, api, workspace, slug },
      { viewport, language: 'fr', at: 'subscribers' },
    )
    // What became of a change of many contacts stands above until it is read.
    await settled(page)
    await page.getByRole('button', { name: 'Masquer' }).click()
    const begins: [string, number][] = []
    for (const at of lists) {
      await turn(at)
      const row = page.locator('tbody tr[data-index="0"], li[aria-posinset="1"]').first()
      await row.waitFor()
      const box = await row.boundingBox()
      begins.push([at, Math.round(box?.y ?? Infinity)])
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert.ok(width <= viewport.width, `${at}: ${width} px`)
      await axe(page)
    }
    t.diagnostic(begins.map((each) => each.join(' ')).join(', '))
    assert.deepEqual(
      begins.filter(([, y]) => y > beginsBefore),
      [],
    )
  })

test('filters and acts open by keyboard, and a set filter is counted', { skip }, async (t) => {
  const { page, turn } = await openWorkspace(
    t,
    { browser, api, workspace, slug },
    { viewport: phone, language: 'fr', at: 'emails' },
  )
  const filters = page.getByRole('button', { name: 'Filtres' })
  const kind = page.getByRole('combobox', { name: 'Type', exact: false }).first()
  assert.equal(await kind.isVisible(), false)
  await filters.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await kind.waitFor()
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'SELECT')
  await kind.selectOption('single')
  await page.getByRole('button', { name: 'Filtres 1' }).waitFor()
  await axe(page)
  await turn('subscribers')
  await page.getByRole('button', { name: 'Actions', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Segments' }).waitFor()
  await axe(page)
  await page.keyboard.press('Escape')
  await page.getByRole('menuitem', { name: 'Segments' }).waitFor({ state: 'hidden' })
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Exporter' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
})
