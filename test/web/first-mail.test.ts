/**
 * The first mail of a new workspace in a real browser: two clicks from the overview to the mail, a
 * key that is made and shown once, and the code with it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { countPresses, pressesOn } from '../support/presses.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'
import { until } from '../support/until.ts'

const { browser, skip } = await startBrowser()
const smtp = { host: '127.0.0.1', port: 2_587, tls: 'none' } as const
const api = await startApi({ entry: operatorEntryPoints(), settings: { submission: smtp } })

async function newWorkspace(name: string) {
  return { browser, api, workspace: await api.workspace(name), slug: name }
}

const auditOf = (workspaceId: number) =>
  api.service.db.rows<{ act: string; subject: string; details: object }>(sql`
    select act, subject, details from audit_log where workspace_id = ${workspaceId} order by id`)

test(
  'from a signed-in new workspace, the first mail takes two clicks: send, and open it',
  { skip },
  async (t) => {
    const shop = await newWorkspace('two-clicks')
    const { page } = await openWorkspace(t, shop, { email: 'ada@two-clicks.example' })
    await countPresses(page)
    await page.getByRole('button', { name: 'Send test to ada@two-clicks.example' }).click()
    const timeline = page.getByRole('list', { name: 'Timeline of the test e-mail' })
    await timeline.getByText('Delivered').waitFor()
    for (const step of ['Accepted', 'Received by the mail server', 'Delivered'])
      await timeline
        .getByRole('listitem')
        .filter({ hasText: step })
        .getByText(/\d\s(?:ms|secs?)$/)
        .waitFor()
    await axe(page)
    await page.getByRole('link', { name: 'Open captured mail' }).click()
    await page.getByRole('heading', { name: 'It works', level: 2 }).waitFor()
    await page.getByText('This is the first e-mail of your workspace').waitFor()
    assert.deepEqual(await pressesOn(page), { pointer: 2, key: 0 })
    const [sent, ...others] = await auditOf(shop.workspace.id)
    assert.partialDeepStrictEqual(sent, { act: 'message.sent', subject: 'It works' })
    assert.deepEqual(others, [])
  },
)

test('a double click sends once, and the next press sends another', { skip }, async (t) => {
  const shop = await newWorkspace('double')
  const { page } = await openWorkspace(t, shop)
  const send = page.getByRole('button', { name: 'Send test to' })
  await send.dblclick()
  await page.getByRole('list', { name: 'Timeline' }).getByText('Delivered').waitFor()
  assert.equal(await shop.workspace.messages(), 1)
  await send.click()
  await until(
    () => shop.workspace.messages(),
    (count) => count === 2,
  )
})

test(
  'a lost answer and a second press send one mail, and the refusal is the sentence of the contract',
  { skip },
  async (t) => {
    const shop = await newWorkspace('lost')
    await shop.workspace.suppress('gone@lost.example', 'manual')
    const { page } = await openWorkspace(t, shop, {
      email: 'lost@lost.example',
      refused: [502],
    })
    let isFirst = true
    await page.route('**/api/v1/emails', async (route) => {
      if (!isFirst) return route.continue()
      isFirst = false
      await route.fetch()
      return route.fulfill({ status: 502, body: '' })
    })
    const send = page.getByRole('button', { name: 'Send test to' })
    await send.click()
    await page.getByRole('alert').waitFor()
    await send.click()
    await page.getByRole('list', { name: 'Timeline' }).getByText('Delivered').waitFor()
    assert.equal(await shop.workspace.messages(), 1)
    await t.test('a suppressed address', async (inner) => {
      const other = await openWorkspace(inner, await newWorkspace('suppressed'), {
        email: 'gone@suppressed.example',
        refused: [422],
      })
      await api.suppressOnPlatform('gone@suppressed.example')
      await other.page.getByRole('button', { name: 'Send test to' }).click()
      await other.page.getByRole('alert').waitFor()
      await other.page.getByText('gone@suppressed.example').last().waitFor()
    })
  },
)

test(
  'Reveal key makes a named key that may only send, fills it in, shows it once, and the audit log names it',
  { skip },
  async (t) => {
    const shop = await newWorkspace('keys')
    const { page, context } = await openWorkspace(t, shop)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const code = page.getByRole('tabpanel').locator('pre')
    assert.match(await code.innerText(), /Bearer fct_live_…'/)
    await page.getByRole('button', { name: 'Reveal key' }).click()
    await page.getByText('This key won’t be shown again').waitFor()
    const [, key = ''] = /Bearer (fct_live_\w+)/.exec(await code.innerText()) ?? []
    for (const name of ['Node', 'Python', 'Go', 'PHP', 'SMTP']) {
      await page.getByRole('tab', { name, exact: true }).click()
      await page.getByRole('tabpanel').getByText(key).waitFor()
    }
    await axe(page)
    // By keyboard, from tab to tab and to the copy.
    await page.keyboard.press('ArrowRight')
    await page.getByRole('tab', { name: 'curl', selected: true }).waitFor()
    await page.getByRole('button', { name: 'Copy: Code in curl' }).click()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), await code.innerText())
    const body = {
      from: 'hello@keys.test',
      to: 'a@example.com',
      subject: 'Hello',
      text: 'It works.',
    }
    assert.equal((await ask(api.baseUrl, 'POST /api/v1/emails', { key, body })).status, 202)
    assert.equal((await ask(api.baseUrl, 'GET /api/v1/subscribers', { key })).status, 403)
    assert.partialDeepStrictEqual(await auditOf(shop.workspace.id), [
      { act: 'key.created', subject: 'First mail', details: { scopes: 'emails:send' } },
    ])
    await page.reload()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    assert.equal(await page.getByText(key).count(), 0)
    assert.equal(await page.getByText('Send your first e-mail').count(), 0, 'a mail was sent')
  },
)

test(
  'an editor has no button for a key, a viewer no card, and a workspace without a domain is led to one',
  { skip },
  async (t) => {
    const shop = await newWorkspace('roles')
    const editor = await openWorkspace(t, shop, { role: 'editor' })
    await editor.page.getByText('Only owners of the workspace can create API keys').waitFor()
    assert.equal(await editor.page.getByRole('button', { name: 'Reveal key' }).count(), 0)
    const viewer = await openWorkspace(t, shop, { role: 'viewer' })
    await viewer.page.getByRole('heading', { name: 'First steps' }).waitFor()
    assert.equal(await viewer.page.getByText('Send your first e-mail').count(), 0)
    await api.run(`delete from sender where workspace_id = ${shop.workspace.id}`)
    const { page } = await openWorkspace(t, shop)
    await page.getByText('you need a sender on a verified domain').waitFor()
    await page.getByRole('link', { name: 'Add a sender' }).click()
    await page.waitForURL(/settings\/senders/)
  },
)

test('in French, on a phone, in the dark: nothing is cut off', { skip }, async (t) => {
  const shop = await newWorkspace('telephone')
  const { page } = await openWorkspace(t, shop, { language: 'fr', viewport: phone, dark: true })
  await page.getByRole('button', { name: 'Afficher la clé' }).click()
  await page.getByText('Cette clé ne sera plus affichée').waitFor()
  await page.getByRole('button', { name: 'Envoyer un test à' }).click()
  await page.getByRole('list', { name: 'Chronologie' }).getByText('Distribué').waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
  await axe(page)
})
