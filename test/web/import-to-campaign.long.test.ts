/**
 * A new user's first campaign to a part of their customers, in a real browser: a file with a date
 * is imported, a segment made of those of the last 90 days, and a mail sent to it without the
 * staff. What the user presses is counted, and each step timed; `UPDATE_IMAGES=1` takes the pictures
 * of docs/segments.md.
 */
import { join } from 'node:path'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { untilSent } from '../support/campaign-world.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { countPresses, pressesOn, secondsOfLastPress } from '../support/presses.ts'
import { openWorkspace, settled } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })

const most = { pointer: 33, key: 45 }

const images = join(import.meta.dirname, '..', '..', 'docs', 'images', 'first-segment')

const daysAgo = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const file = {
  name: 'customers.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    [
      'Email,First name,Last order,Tags',
      `ann@example.com,Ann,${daysAgo(10)},vip`,
      `bea@example.com,Bea,${daysAgo(40)},staff`,
      `cid@example.com,Cid,${daysAgo(200)},`,
      `dan@example.com,Dan,${daysAgo(80)},`,
      'eve@example.com,Eve,,vip',
    ].join('\n'),
  ),
}

/** A press of the list and one of the option, of which the browser tells the page nothing. */
async function select(page: Page, list: Locator, label: string): Promise<void> {
  await list.selectOption({ label })
  await page.evaluate('window.pressed.pointer += 2')
}

test(
  'from a signed-in new workspace, a file is imported, and those of the last 90 days but the staff get a mail',
  { skip },
  async (t) => {
    const workspace = await api.workspace('first')
    const { page } = await openWorkspace(t, {
      ...{ browser, api, workspace, slug: 'first', email: 'camille@example.com' },
    })
    const link = (name: string) => page.getByRole('link', { name, exact: true }).first()
    const button = (name: string) => page.getByRole('button', { name, exact: true }).first()
    const list = (name: string) => page.getByRole('combobox', { name, exact: true })
    const write = async (field: Locator, text: string): Promise<void> => {
      await field.click()
      await page.keyboard.type(text)
    }
    const textbox = (name: string) => page.getByRole('textbox', { name, exact: true })
    const option = (name: string) => page.getByRole('option', { name, exact: true })
    const step = async (name: string): Promise<void> => {
      t.diagnostic(`${name}: ${(await secondsOfLastPress(page)).toFixed(1)} s`)
      if (process.env['UPDATE_IMAGES'] !== '1') return
      await settled(page)
      await page.screenshot({ path: join(images, `${name}.png`) })
    }
    await countPresses(page)

    await link('Subscribers').click()
    await link('Import').click()
    const choosing = page.waitForEvent('filechooser')
    await button('Choose a file').click()
    await (await choosing).setFiles(file)
    await page.getByRole('checkbox', { name: 'These look like dates' }).click()
    await page.getByRole('radio', { name: /Subscribe now/ }).click()
    await write(textbox('How and when they agreed'), 'At our till')
    await button('Preview import').click()
    await button('Import').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await page.getByText('Imported', { exact: true }).waitFor()
    await step('imported')

    await link('Subscribers').click()
    await button('Actions').click()
    await page.getByRole('menuitem', { name: 'Segments' }).click()
    await link('New segment').click()
    await write(textbox('Name'), 'Recent')
    await select(page, list('Condition'), 'Custom field')
    await select(page, list('Field'), 'last_order')
    // A date is first compared with the last 90 days.
    await page.getByText('3 contacts', { exact: true }).waitFor()
    await step('segment')
    await button('Create segment').click()
    await page.getByRole('heading', { level: 1, name: 'Recent' }).waitFor()

    await link('Campaigns').click()
    await button('New campaign').click()
    await textbox('Name').waitFor()
    await page.keyboard.type('Thanks')
    await page.getByRole('radio', { name: 'Text' }).click()
    await button('Begin').click()
    await write(textbox('Subject'), 'Thank you')
    await list('To').click()
    await option('Recent').click()
    await list('Except').click()
    await option('staff').click()
    await write(textbox('Text'), 'See you soon.')
    await button('Review and send').click()
    await page.getByText('2 people will receive it.').waitFor()
    await step('review')
    await button('Send…').click()
    // The workspace has no postal address yet.
    await page.getByRole('checkbox', { name: 'I have read this. Send anyway.' }).click()
    await button('Send to 2 people').click()
    await button('Undo send').waitFor()
    await step('sent')
    const pressed = await pressesOn(page)
    t.diagnostic(`${pressed.pointer} clicks, ${pressed.key} keys`)
    assert.ok(pressed.pointer <= most.pointer, `${pressed.pointer} clicks`)
    assert.ok(pressed.key <= most.key, `${pressed.key} keys`)

    await api.moveClock('31 seconds')
    api.service.wake('campaign')
    const [, id = ''] = /campaigns\/([\w-]+)/.exec(page.url()) ?? []
    await untilSent(api, workspace, id)
    assert.deepEqual(
      await api.service.db.column(
        sql`select recipient from captured_mail where workspace_id = ${workspace.id} order by recipient`,
      ),
      ['ann@example.com', 'dan@example.com'],
    )
  },
)
