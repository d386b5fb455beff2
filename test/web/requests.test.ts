/**
 * The calls of programs in a real browser: an empty log teaches the first call; calls are found,
 * read whole, and lead to their messages and back.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, textAt, type Answer, type Requested } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace, phone, settled } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints(), settings: { requestLogPerSecond: 1 } })
const workspace = await api.workspace('shop')
const shop = { browser, api, workspace, slug: 'shop' }

async function call(line: string, request: Requested = {}): Promise<Answer> {
  const answer = await ask(api.baseUrl, line, { key: workspace.key, ...request })
  await api.service.requestLog.flush()
  return answer
}
const email = { from: 'hello@shop.test', to: 'lea@example.com', subject: 'Invoice', text: 'Hello' }

test(
  'an empty log shows a call to try, and a call is there as soon as it was made',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { at: 'settings/requests' })
    await page.getByText('No requests yet').waitFor()
    await page.getByText(`curl ${api.baseUrl}/api/v1/me`).waitFor()
    await axe(page)
    await call('GET /api/v1/me')
    await page.getByRole('link', { name: 'getAccount' }).waitFor()
  },
)

test(
  'a refused call is found by its status, code, operation and key, and its page says all of it',
  { skip },
  async (t) => {
    const refused = await call('POST /api/v1/emails', { body: { ...email, to: 'nobody' } })
    const id = refused.headers.get('x-request-id') ?? ''
    const { page, goto } = await openWorkspace(t, shop, { at: 'settings/requests' })
    await page.getByRole('button', { name: '4xx 1' }).click()
    await page.getByRole('combobox', { name: 'Code' }).selectOption('validation_error')
    await page.getByRole('combobox', { name: 'Operation' }).selectOption('sendEmail')
    await page.waitForURL(/status=refused&code=validation_error&operation=sendEmail/)
    await page.getByRole('cell').getByText('validation_error').waitFor()
    await until(
      () => page.getByRole('row').count(),
      (count) => count === 2,
    )
    await page.getByRole('link', { name: 'sendEmail' }).click()
    await page.getByRole('heading', { level: 1, name: 'sendEmail' }).waitFor()
    await page.getByText('422 validation_error').waitFor()
    for (const text of [
      id,
      '127.0.0.1',
      'REST',
      'The content of the request and response is not stored.',
    ])
      await page.getByText(text).first().waitFor()
    await settled(page)
    await axe(page)
    await goto(`settings/requests?request=${id}`)
    await page.getByRole('link', { name: 'sendEmail' }).waitFor()
    await page.getByRole('button', { name: 'Show all requests' }).click()
    await page.getByRole('searchbox', { name: 'Search by path, ID or key' }).fill('nothing')
    await page.getByText('No requests match').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('link', { name: 'getAccount' }).waitFor()
    await goto('settings/keys')
    await page.getByRole('link', { name: 'Requests with “test”' }).click()
    await page.waitForURL(/settings\/requests\?key=/)
    await page.getByRole('link', { name: 'sendEmail' }).waitFor()
  },
)

test(
  'a message leads to the call that made it, and the call to the message',
  { skip },
  async (t) => {
    const sent = await call('POST /api/v1/emails', { body: email })
    const [id, requestId] = [textAt(sent, 'id'), sent.headers.get('x-request-id') ?? '']
    const { page } = await openWorkspace(t, shop, { at: `emails/${id}` })
    await page.getByRole('link', { name: requestId }).click()
    await page.getByText('Requests that created this message').waitFor()
    await page.getByRole('link', { name: 'sendEmail' }).click()
    await page.getByRole('link', { name: id }).click()
    await page.getByRole('heading', { level: 1, name: 'Invoice' }).waitFor()
  },
)

test(
  'a campaign leads to the calls that created and sent it, and they lead back',
  { skip },
  async (t) => {
    const created = await call('POST /api/v1/campaigns', {
      body: { name: 'News', subject: 'News', text: 'News' },
    })
    const id = textAt(created, 'id')
    await call('POST /api/v1/subscribers', {
      body: { email: 'reader@example.com', double_opt_in: false },
    })
    assert.equal((await call(`POST /api/v1/campaigns/${id}/send`)).status, 202)
    const { page } = await openWorkspace(t, shop, { at: `campaigns/${id}` })
    await page.getByRole('link', { name: 'Requests that created or sent it' }).click()
    await page.getByText('Requests that created or sent this campaign').waitFor()
    await page.getByRole('link', { name: 'createCampaign' }).waitFor()
    await page.getByRole('link', { name: 'sendCampaign' }).click()
    await page.getByRole('link', { name: id }).click()
    await page.waitForURL(new RegExp(`campaigns/${id}(?:/results)?$`))
  },
)

test(
  'calls that came too fast to be stored one by one stand for the others, in words',
  { skip },
  async (t) => {
    await Promise.all(
      Array.from({ length: 200 }, () =>
        ask(api.baseUrl, 'GET /api/v1/emails', { key: workspace.key }),
      ),
    )
    await api.service.requestLog.flush()
    const { page } = await openWorkspace(t, shop, {
      at: 'settings/requests?operation=listEmails',
      language: 'fr',
      viewport: phone,
    })
    await page.getByRole('link', { name: 'listEmails' }).first().waitFor()
    await axe(page)
    const rows = await page.getByRole('link', { name: 'listEmails' }).count()
    assert.ok(rows < 200, String(rows))
    await page
      .getByText(/^× \d+$/)
      .first()
      .waitFor()
  },
)

test(
  'an editor learns that owners read the requests, and has no menu entry for them',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { at: 'settings/requests', role: 'editor' })
    await page.getByText('Only owners can see API requests.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'API requests' }).count(), 0)
  },
)
