/**
 * The overview in a real browser: a workspace that has just begun, one that is suspended, French on
 * a phone in the dark, a service that fails.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { lowerRate } from '../../src/db/sending/provider-rates.ts'
import { smtpRelayChoice } from '../../src/providers/smtp-relay/smtp-relay-kind.ts'
import { parseSmtpUrl } from '../../src/providers/smtp-relay/smtp-relay.ts'
import { startApi } from '../support/api.ts'
import { ask } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('shop', { monthlyQuota: 1000 })
const shop = { browser, api, workspace, slug: 'shop' }

test('a new workspace is led to its first steps, and each ticks itself', { skip }, async (t) => {
  const { page } = await openWorkspace(t, shop)
  await page.getByText('2 of 5 done').waitFor()
  await page.getByText('Nothing was sent in the last 30 days').waitFor()
  await axe(page)
  const body = {
    from: 'hello@shop.test',
    to: 'someone@example.com',
    subject: 'Hello',
    text: 'Hello',
  }
  assert.equal(
    (await ask(api.baseUrl, 'POST /api/v1/emails', { key: workspace.key, body })).status,
    202,
  )
  await api.moveClock('1 minute')
  await page.reload()
  await page.getByText('3 of 5 done').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Done:Send a first mail' }).waitFor()
  await page.getByText('1 mail', { exact: true }).waitFor()
  await page.getByText('999 mails left').waitFor()
  // The chart is loaded once there is something to draw, and can be read without eyes.
  const today = page.getByRole('table', { name: 'Mails of each day' }).getByRole('row').last()
  await today.waitFor()
  assert.equal(await today.getByRole('cell').count(), 5)
  await axe(page)
})

test(
  'a suspended workspace shows why, and the way out: in French, on a phone, in the dark',
  { skip },
  async (t) => {
    await workspace.setReputation({ handOffs: 1400, bounces: 112, complaints: 1 })
    const { page } = await openWorkspace(t, shop, {
      language: 'fr',
      viewport: phone,
      dark: true,
      role: 'viewer',
    })
    const notice = page.getByRole('region', { name: 'L’envoi est suspendu' })
    await notice
      .getByText('112 sont revenus parce que l’adresse n’existe pas : 8 %, pour un maximum de 5 %')
      .waitFor()
    assert.equal(
      await notice.getByText('signalés comme spam').count(),
      0,
      'what is below its threshold is no reason',
    )
    await notice.getByText('L’envoi reprend de lui-même').waitFor()
    assert.equal(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      true,
      'nothing is cut off',
    )
    await axe(page)
  },
)

test(
  'a provider that asked for a slower pace is a notice with the pace and the time of its end',
  { skip },
  async (t) => {
    const relay = await startApi({
      entry: operatorEntryPoints(),
      choice: smtpRelayChoice(parseSmtpUrl('smtp://127.0.0.1:1'), 1),
    })
    const slow = { browser, api: relay, workspace: await relay.workspace('slow'), slug: 'slow' }
    const process = relay.service.makeId()
    await lowerRate(relay.service.db, { provider: 'smtp-relay', process, perSecond: 311 }, null)
    const { page } = await openWorkspace(t, slow)
    const notice = page.getByRole('note', { name: 'Mail leaves more slowly for now' })
    await notice.getByText('Until then its pace is about 156 per second.').waitFor()
    await axe(page)
  },
)

test('the page says that the service fails, and asks again by a press', { skip }, async (t) => {
  const { page, goto } = await openWorkspace(t, shop, { refused: [500] })
  await page.route('**/api/v1/overview', (route) => route.fulfill({ status: 500, body: 'broken' }))
  await goto('overview')
  await page.getByRole('alert').getByText('could not be reached').waitFor()
  await page.unroute('**/api/v1/overview')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Quota of this month' }).waitFor()
})

test(
  'an owner of every workspace reads how much disk each class of data takes, and how it grows',
  { skip },
  async (t) => {
    await until(
      () => api.service.db.value<number>(sql`select count(*)::int from disk_usage`),
      (rows) => (rows ?? 0) > 0,
    )
    await api.run(`insert into disk_usage (day, class, bytes, measured_at)
    select day - 2, class, bytes / 2, measured_at - interval '2 days' from disk_usage on conflict do nothing`)
    for (const [language, name, grows] of [
      ['en', 'Disk', /It grows by .*MB a day/],
      ['fr', 'Disque', /Elles augmentent de .*Mo par jour/],
    ] as const) {
      const { page } = await openWorkspace(t, shop, { language })
      const card = page.getByRole('region', { name })
      await card.getByText(grows).waitFor()
      assert.ok((await card.getByRole('row').count()) >= 9)
      await card.getByText(language === 'en' ? /^As of \d/ : /^Au \d/).waitFor()
      await axe(page)
    }
  },
)
