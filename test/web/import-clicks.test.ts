/**
 * An import in a real browser, from a signed-in workspace to imported subscribers: what a member
 * presses is counted.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { countPresses, pressesOn } from '../support/presses.ts'
import { openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })

const clicksMax = 8
const file = {
  name: 'customers.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    [
      'Email,First name,City,Opt-in,Account state,Labels',
      'ann@example.com,Ann,Lyon,yes,active,vip|beta',
      'bea@example.com,Bea,Paris,no,active,',
      'cid@example.com,Cid,Rome,yes,unsubscribed,beta',
    ].join('\n'),
  ),
}

test(
  'from a signed-in workspace, a file with columns of its own is imported in eight clicks, and no key but the words of the consent',
  { skip },
  async (t) => {
    const workspace = await api.workspace('clicks')
    const { page } = await openWorkspace(t, { browser, api, workspace, slug: 'clicks' })
    await countPresses(page)
    await page.getByRole('link', { name: 'Subscribers', exact: true }).first().click()
    await page.getByRole('link', { name: 'Import' }).first().click()
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a file' }).click()
    await (await choosing).setFiles(file)
    assert.equal(await page.getByRole('combobox', { name: 'City' }).inputValue(), 'New field: city')
    const words = 'Signed up at our shop in 2026'
    await page.getByRole('radio', { name: /Subscribe now/ }).click()
    await page.getByRole('textbox', { name: 'How and when they agreed' }).click()
    await page.keyboard.type(words)
    await page.getByRole('button', { name: 'Preview import' }).click()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await page.getByText('Imported', { exact: true }).waitFor()
    const pressed = await pressesOn(page)
    assert.ok(pressed.pointer <= clicksMax, `${pressed.pointer} clicks`)
    // A capital letter is pressed with its own key alone here.
    assert.equal(pressed.key, words.length)
    const rows = await api.service.db.rows<{ email: string; fields: object }>(sql`
      select email, fields from subscriber where workspace_id = ${workspace.id} order by email`)
    assert.deepEqual(
      rows.map(({ email }) => email),
      ['ann@example.com'],
      'a column that may say who left is no new field',
    )
    assert.partialDeepStrictEqual(rows[0]?.fields, { city: 'Lyon', labels: 'vip|beta' })
  },
)
