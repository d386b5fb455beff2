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

/** Delivered mails of the shop, some opened and clicked, at these days before now. */
async function sentBefore({ id }: { id: number }, daysAgo: readonly number[]): Promise<void> {
  for (const days of daysAgo)
    await api.run(`
      with m as (
        insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
        select ${id}, overlay(facteur_events_from(at)::text placing '7000-8000-${String(days).padStart(12, '0')}' from 15)::uuid,
          '{"track":{"opens":true,"clicks":true}}', '', '${days}', at, '2026-01-01'
        from (select facteur_now() - interval '${days} days' as at) d returning *)
      insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state,
        lane, next_at, opened_at, clicked_at)
      select workspace_id, id, n, 'to', 'a@example.com', 'a@example.com',
        case n when 3 then 'bounced' else 'delivered' end, 'settled', 'transactional', created_at,
        case when n = 0 then created_at end, case when n = 0 then created_at end
      from m cross join generate_series(0, 3) n`)
}

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
      ['en', 'Disk', /The data grows by .*MB a day/],
      ['fr', 'Disque', /Les données augmentent de .*Mo par jour/],
    ] as const) {
      const { page } = await openWorkspace(t, shop, { language, at: 'settings/installation' })
      const card = page.getByRole('region', { name })
      await card.getByText(grows).waitFor()
      assert.ok((await card.getByRole('row').count()) >= 9)
      await card.getByText(language === 'en' ? /^As of \d/ : /^Au \d/).waitFor()
      await axe(page)
    }
  },
)

test(
  'a new workspace is led to its first steps, each ticks itself, and results come with the first mail',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop)
    await page.getByText('2 of 5 done').waitFor()
    assert.equal(await page.getByRole('radiogroup', { name: 'Period' }).count(), 0)
    await page.getByText('Everything is in order.').waitFor()
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
    await page.getByRole('listitem').filter({ hasText: 'Done:Send a first e-mail' }).waitFor()
    await page.getByText('1 e-mail', { exact: true }).waitFor()
    await page.getByText('999 of 1,000 e-mails left').waitFor()
    await page.getByText('No campaigns sent yet.').waitFor()
    // The chart is loaded once there is something to draw, and can be read without eyes.
    const today = page.getByRole('table', { name: 'E-mails by day' }).getByRole('row').last()
    await today.waitFor()
    assert.equal(await today.getByRole('cell').count(), 5)
    await axe(page)
  },
)

test('mail that is captured is one badge, which leads to it', { skip }, async (t) => {
  const { page } = await openWorkspace(t, shop)
  const badge = page.getByText('Capture mode')
  await badge.waitFor()
  assert.equal(await badge.count(), 1)
  await badge.click()
  await page.getByRole('heading', { name: 'Captured mail', level: 1 }).waitFor()
})

test(
  'a busy workspace reads five results beside the period before, by the keyboard, and shares its period',
  { skip },
  async (t) => {
    const busy = await api.workspace('busy')
    await sentBefore(busy, [1, 2, 5, 9, 40])
    const { page, goto } = await openWorkspace(t, { browser, api, workspace: busy, slug: 'busy' })
    const tile = (name: string) => page.locator('dl > div').filter({ hasText: name })
    // 16 mails in 30 days and 4 in those before, of each four a bounce, an open and a click.
    await tile('Sent').getByText('+300%').waitFor()
    await tile('Delivered').getByText('12 of 16 sent').waitFor()
    await tile('Opened by people').getByText('4 of 12 delivered').waitFor()
    await tile('Clicked').getByText('33.3%').waitFor()
    await tile('Subscribers').getByText('0 subscribed now').waitFor()
    await page.getByRole('radio', { name: '30 days' }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL(/days=7$/)
    await tile('Delivered').getByText('9 of 12 sent').waitFor()
    await tile('Sent').getByText('+200%').waitFor()
    await goto('overview?days=90')
    await tile('Delivered').getByText('15 of 20 sent').waitFor()
    await tile('Sent').getByText('No earlier data').first().waitFor()
    assert.equal(await page.getByRole('radio', { name: '90 days' }).isChecked(), true)
    await axe(page)
  },
)

test(
  'what needs attention is one line each, which leads to the page that mends it',
  { skip },
  async (t) => {
    const troubled = await api.workspace('troubled', { monthlyQuota: 10 })
    await troubled.addDomain('mail.troubled.example', { verified: false })
    await api.run(`
      insert into webhook (workspace_id, id, name, url, host, events, secret, failing_since, created_at, updated_at)
      select ${troubled.id}, gen_random_uuid(), 'Shop', 'https://example.com', 'example.com:443',
        array['email.sent'], '', at, at, at from (select facteur_now() - interval '2 days' as at) d`)
    await api.run(
      `update api_key set created_at = created_at - interval '100 days' where workspace_id = ${troubled.id}`,
    )
    await troubled.setReputation({ handOffs: 1_000, bounces: 40, complaints: 0 })
    const { page, goto } = await openWorkspace(t, {
      ...{ browser, api, workspace: troubled, slug: 'troubled' },
    })
    const list = page.getByRole('list', { name: 'Needs attention' })
    for (const [line, at] of [
      [/^Your bounce rate is 4%; above 5%/, /emails\?status=bounced$/],
      [
        /^mail\.troubled\.example: add its DNS records/,
        /settings\/domains\/mail\.troubled\.example$/,
      ],
      [/^Webhook “Shop” has been failing since/, /webhooks\/[\da-f-]+$/],
      [/^API key “.*” has not been used since/, /settings\/keys$/],
    ] as const) {
      await list.getByRole('link', { name: line }).click()
      await page.waitForURL(at)
      await goto('overview')
    }
    await list.getByRole('listitem').nth(3).waitFor()
    assert.equal(await list.getByRole('listitem').count(), 4)
    await axe(page)
  },
)

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
      .getByText('112 ont rebondi car l’adresse n’existe pas : 8 %. La limite est de 5 %')
      .waitFor()
    assert.equal(
      await notice.getByText('signalés comme spam').count(),
      0,
      'what is below its threshold is no reason',
    )
    await notice.getByText('L’envoi reprendra automatiquement').waitFor()
    assert.equal(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      true,
      'nothing is cut off',
    )
    await page.locator('dl').getByText('112 sur 1 400 e-mails en 30 jours').waitFor()
    await page.getByText('Ouverts par des personnes').waitFor()
    await axe(page)
  },
)

test(
  'a provider that asked for a slower pace needs attention, with the pace and the time of its end',
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
    await page.getByRole('link', { name: 'to about 156 per second' }).waitFor()
    await axe(page)
  },
)

test('the page says that the service fails, and asks again by a press', { skip }, async (t) => {
  const { page, goto } = await openWorkspace(t, shop, { refused: [500] })
  await page.route('**/api/v1/overview?*', (route) =>
    route.fulfill({ status: 500, body: 'broken' }),
  )
  await goto('overview')
  await page.getByRole('alert').getByText('can’t be reached').waitFor()
  await page.unroute('**/api/v1/overview?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
})
