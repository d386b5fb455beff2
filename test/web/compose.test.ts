/** A single e-mail written in a real browser: text with a file, blocks, a time, and refusals. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('shop')
const shop = { browser, api, workspace, slug: 'shop' }

interface Stored {
  html: string | null
  text: string | null
  scheduled: boolean
}

const storedAs = (subject: string) =>
  api.service.db.rows<Stored>(sql`
    select c.html, c.text, m.scheduled_at is not null as scheduled
    from message m join message_body c on c.workspace_id = m.workspace_id and c.message_id = m.id
    where m.workspace_id = ${workspace.id} and m.subject = ${subject}`)

async function writeLines(page: Page, to: string, subject: string): Promise<void> {
  await page.getByLabel('To', { exact: false }).first().fill(to)
  await page.getByLabel('Subject').fill(subject)
}

test(
  'text with a file leaves from the default sender at a double click, once; Enter in a line sends nothing',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { at: 'emails', role: 'editor' })
    await page.getByRole('link', { name: 'Write an e-mail' }).click()
    await page.getByRole('heading', { name: 'Write an e-mail' }).waitFor()
    assert.equal(await page.getByLabel('From').inputValue(), 'hello@shop.test')
    await writeLines(page, 'Camille <camille@example.com>, ines@example.com', 'With a file')
    await page.getByLabel('Subject').press('Enter')
    await page.getByRole('textbox', { name: 'Text' }).fill('As promised.')
    const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, at) => at % 251))
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'data.bin', mimeType: 'application/octet-stream', buffer: bytes }])
    await axe(page)
    await page.getByRole('button', { name: 'Send', exact: true }).dblclick()
    await page.getByRole('heading', { name: 'With a file', level: 1 }).waitFor()
    assert.equal(await workspace.messages(), 1)
    const [file] = await api.service.db.rows<{ content: Buffer }>(
      sql`select content from attachment where workspace_id = ${workspace.id}`,
    )
    assert.deepEqual(Buffer.from(file?.content ?? ''), bytes)
    await page.getByText('ines@example.com').first().waitFor()
  },
)

test(
  'blocks are those of the campaign editor without merge tags; a problem stays at its block until it is mended',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { at: 'emails/new', refused: [422] })
    await writeLines(page, 'camille@example.com', 'In blocks')
    await page.getByText('Blocks', { exact: true }).click()
    const send = page.getByRole('button', { name: 'Send', exact: true })
    assert.equal(await send.isDisabled(), true, 'there is nothing to send')
    await page.getByRole('group', { name: 'Add' }).getByRole('button', { name: 'Button' }).click()
    const card = page.locator('[data-block=button]')
    await card.getByRole('textbox').first().fill('See it')
    assert.equal(await page.getByRole('button', { name: /Put in/ }).count(), 0)
    await card.getByRole('textbox').nth(1).fill('nowhere')
    await send.click()
    await card.locator('[data-problems]').waitFor()
    await axe(page)
    await card.getByRole('textbox').nth(1).fill('https://example.com/')
    await card.locator('[data-problems]').waitFor({ state: 'detached' })
    await send.click()
    await page.getByRole('heading', { name: 'In blocks', level: 1 }).waitFor()
    const [stored] = await storedAs('In blocks')
    assert.match(stored?.html ?? '', /href="https:\/\/example\.com\/"/)
    assert.equal(stored?.text, 'See it: https://example.com/\n')
  },
)

test('a time schedules it, and a past one is refused at its field', { skip }, async (t) => {
  const { page } = await openWorkspace(t, shop, { at: 'emails/new', refused: [422] })
  await writeLines(page, 'camille@example.com', 'Later')
  await page.getByRole('textbox', { name: 'Text' }).fill('Later.')
  await page.getByLabel('Send at').fill('2020-01-01T09:00')
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByText('lies in the past').or(page.locator('[aria-invalid=true]')).first().waitFor()
  const ahead = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)
  await page.getByLabel('Send at').fill(ahead)
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByRole('heading', { name: 'Later', level: 1 }).waitFor()
  assert.equal((await storedAs('Later'))[0]?.scheduled, true)
})

test(
  'in French, on a phone, in the dark: a suppressed address is refused in the words of the contract; viewers write nothing',
  { skip },
  async (t) => {
    await workspace.suppress('gone@example.com', 'manual')
    const options = { language: 'fr', viewport: phone, dark: true, at: 'emails/new' } as const
    const { page } = await openWorkspace(t, shop, { ...options, refused: [422] })
    await page.getByLabel('À', { exact: false }).first().fill('gone@example.com')
    await page.getByLabel('Objet').fill('Bonjour')
    await page.getByRole('textbox', { name: 'Texte' }).fill('Bonjour.')
    await page.getByRole('button', { name: 'Envoyer', exact: true }).click()
    await page.getByRole('alert').getByText('gone@example.com').first().waitFor()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await axe(page)
    const viewer = await openWorkspace(t, shop, { role: 'viewer', at: 'emails' })
    assert.equal(await viewer.page.getByRole('link', { name: 'Write an e-mail' }).count(), 0)
    await viewer.goto('emails/new')
    await viewer.page.getByText('Only editors and owners can write e-mails').waitFor()
  },
)
