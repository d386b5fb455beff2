/**
 * Campaigns in a browser from the draft on: ten thousand from a file to their results; stopped,
 * ended and sent again; seen and not touched.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { CampaignRun } from '../../src/contract/workspace/campaign-run.ts'
import { sql } from '../../src/database/client/sql.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { createLocalCapture } from '../../src/providers/local-capture/local-capture.ts'
import type { Provider } from '../../src/providers/provider.ts'
import { addSubscribers, campaignRow, draftOf, untilCampaign } from '../support/campaign-world.ts'
import { browser as chrome, filter, gmailRelay, open } from '../support/tracking-world.ts'
import { stopClock } from '../support/database.ts'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'
import { until } from '../support/until.ts'
import { frontTab } from '../../web/src/pages/campaigns/run/front-tab.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const shop = { browser, api, workspace: await api.workspace('shop'), slug: 'shop' }
/**
 * The capture mailbox, four mails at a time and no more than are let through, so that a campaign is
 * stopped on its way for certain.
 */
const gate = { max: 0 }
function gatedCapture(): Provider {
  const capture = createLocalCapture(systemClock)
  let started = 0
  let busy = 0
  return {
    ...capture,
    free: () => 4 - busy,
    async handOff(envelope, lease) {
      busy++
      const index = ++started
      await until(() => index <= gate.max, Boolean, 600_000)
      return capture.handOff(envelope, lease).finally(() => busy--)
    },
  }
}

const slowApi = await startApi({
  entry: operatorEntryPoints(),
  provider: gatedCapture(),
  settings: { leaseSeconds: 3_600 },
})
const slow = { browser, api: slowApi, workspace: await slowApi.workspace('slow'), slug: 'slow' }

/** A figure of the ledger or of the results, as it stands on the page. */
const figure = async (page: Page, name: string): Promise<string> =>
  (await page.locator(`[data-figure="${name}"]`).innerText()).trim()
const number = async (page: Page, name: string): Promise<number> =>
  Number((await figure(page, name)).replaceAll(',', ''))

async function addsUp(page: Page, more: string[] = []): Promise<void> {
  const places = ['pending', 'sent', 'failed', 'suppressed', 'in_doubt', ...more]
  const counts = await Promise.all(places.map((location) => number(page, location)))
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    await number(page, 'recipients'),
  )
  await page.locator('[data-adds-up=true]').waitFor()
}

/** The drafts here have no postal address, and their links are no pages. */
const agreeTo = (page: Page, verb: 'send' | 'schedule'): Promise<void> =>
  page
    .getByRole('dialog')
    .getByRole('checkbox', {
      name: `I have read this. ${verb === 'send' ? 'Send' : 'Schedule'} anyway.`,
    })
    .check()

const many = 10_000
const contacts = [
  'email,first name',
  'bounced@simulator.test,Bea',
  'complained@simulator.test,Carl',
  ...Array.from({ length: many - 2 }, (_, index) => `reader${index}@example.com,Reader ${index}`),
].join('\n')

/**
 * The addresses that the mails request when they are read, from their bytes (RFC 2045 6.7 undone).
 */
async function mailsOf(id: string, count: number): Promise<{ pixel: string; links: string[] }[]> {
  const rows = await api.service.db.rows<{ raw: Buffer }>(sql`
    select raw from captured_mail where workspace_id = ${shop.workspace.id} and campaign_id = ${id} and recipient like 'reader%'
    order by subscriber_id limit ${count}`)
  return rows.map(({ raw }) => {
    const text = raw.toString('latin1').replaceAll('=\r\n', '').replaceAll('=3D', '=')
    const links = [...text.matchAll(/"http:\/\/127\.0\.0\.1:\d+(\/c\/[\w-]+\/\d+)"/g)].map(
      (match) => match[1] ?? '',
    )
    return { pixel: /(\/o\/[\w-]+)"/.exec(text)?.[1] ?? assert.fail('no pixel'), links }
  })
}

test('a campaign opens on its results though mails failed, and on its ledger while something is open there', () => {
  const tabOf = (progress: object, recipients = 50_000): unknown =>
    frontTab({
      campaign: {
        ...{ status: 'sent', sentAt: '2026-11-21T08:00:00Z', recipients },
        progress: { pending: 0, sent: 49_999, failed: 0, suppressed: 0, in_doubt: 0, ...progress },
      },
      cancelled: 0,
    } as CampaignRun)
  assert.equal(tabOf({ failed: 1 }), 'results')
  assert.equal(tabOf({ in_doubt: 1 }), 'delivery')
  assert.equal(tabOf({}), 'delivery')
})

test(
  'ten thousand imported subscribers get a campaign, and their opens and clicks show as they come',
  { skip },
  async (t) => {
    const { page, goto } = await openWorkspace(t, shop, {
      at: 'subscribers/import',
      refused: [422],
    })
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'readers.csv', mimeType: 'text/csv', buffer: Buffer.from(contacts) })
    await page.getByRole('radio', { name: /Subscribe now/ }).check()
    await page.getByRole('textbox', { name: 'How and when they agreed' }).fill('At the fair')
    await page.getByRole('button', { name: /^Preview/ }).click()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    const text = 'Hello {{firstName}}, see https://example.com/much and https://example.com/little'
    const id = await draftOf(api, shop.workspace, { name: 'November', text })
    await page.getByText('Imported', { exact: true }).waitFor()

    await goto(`campaigns/${id}`)
    await page.getByText('10,000 people will receive it.').waitFor()
    // The findings of the checks stand beside the mail; the user agrees to them separately before
    // anything leaves.
    const review = page.getByRole('region', { name: 'Before it is sent' })
    await review.getByText('The footer has no postal address').waitFor()
    await page.frameLocator('iframe[data-seen=true]').getByText('Hello').waitFor()
    await axe(page)
    // A subscriber leaves while the dialog is open: the confirmed number is not sent to others.
    await page.getByRole('button', { name: 'Send…' }).click()
    const send = page.getByRole('dialog').getByRole('button', { name: 'Send to 10,000 people' })
    await page.getByRole('dialog').getByText('The footer has no postal address').waitFor()
    assert.equal(await send.isDisabled(), true)
    await agreeTo(page, 'send')
    await shop.workspace.suppress('reader1@example.com', 'manual')
    await stopClock(api.database.url, new Date().toISOString())
    await send.click()
    await page.getByText('You confirmed 10,000, and it would now reach 9,999.').waitFor()
    await axe(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Send to 9,999 people' }).click()
    await page.getByRole('timer').waitFor()
    await addsUp(page)
    await axe(page)
    await api.moveClock('31 seconds')
    api.service.wake('campaign')
    // Once mails left, the address leads to the results, with the progress above them.
    await page.waitForURL(`**/campaigns/${id}/results`)
    await page.getByRole('link', { name: 'Delivery', exact: true }).click()
    await page.getByText('9,999 of 9,999 completed (100%)').waitFor()
    await addsUp(page)
    assert.equal(await number(page, 'sent'), 9_999)

    const mails = await mailsOf(id, 60)
    assert.equal(mails.length, 60)
    for (const [at, { pixel, links }] of mails.entries()) {
      if (at < 30) await open(api, links[0] ?? '', chrome)
      if (at < 10) await open(api, links[1] ?? '', chrome)
      if (at >= 30) await open(api, pixel, at < 50 ? gmailRelay : filter)
    }
    await goto(`campaigns/${id}`)
    await page.waitForURL(`**/campaigns/${id}/results`)
    await page.locator('[data-figure=opened]').waitFor()
    await untilCampaign(api, shop.workspace, id, ({ pending }) => pending === 0)
    await page.reload()
    await page.locator('[data-figure=bounced]', { hasText: '1' }).waitFor()
    assert.match(
      await figure(page, 'opened'),
      /^Opened by people\s+between 0\.3% and 0\.5%\s+30–50 of 9,998 delivered\s+20 first opens came/,
    )
    assert.match(await figure(page, 'clicked'), /^Clicked\s+0\.3%\s+30 of 9,998 delivered$/)
    assert.match(await figure(page, 'delivered'), /99\.99%|100%/)
    assert.match(await figure(page, 'complained'), /0\.01%|0%\s+1 of 9,998 delivered/)
    assert.match(await figure(page, 'unsubscribed'), /0%\s+0 of 9,998 delivered/)
    assert.match(await figure(page, 'people'), /30\s+60%/)
    assert.match(await figure(page, 'relays'), /20\s+40%/)
    assert.equal(await figure(page, 'scanners'), 'Not counted (automatic): opens 10, clicks 0.')
    assert.match(await figure(page, 'link-0'), /much\s+30\s+75%/)
    const mail = page.frameLocator('iframe')
    await mail.getByText('75% · 30').waitFor()
    await mail.getByText('25% · 10').waitFor()
    assert.equal(await mail.locator('[data-heat="4"][href]').count(), 0)
    await page.locator('.recharts-bar-rectangle').first().waitFor()
    await page.getByText('As a table').click()
    assert.equal(
      await page
        .getByRole('table', { name: 'The first day, by hour' })
        .getByRole('row', { name: '0–1 h 50 30' })
        .count(),
      1,
    )
    await axe(page)
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export as CSV' }).click()
    assert.match(
      await readFile(await (await downloading).path(), 'utf8'),
      /^link,https:\/\/example\.com\/much,30,0\.7500\r$/m,
    )

    // From a figure to its recipients, and on to the subscriber.
    await page.locator('[data-figure=bounced]').getByRole('link').click()
    const row = page.getByRole('row', { name: 'bounced@simulator.test' })
    await row.getByText('Bounced after it was handed over.').waitFor()
    assert.match(
      (await row.getByRole('link', { name: 'Open the e-mail to' }).getAttribute('href')) ?? '',
      new RegExp(`/emails/${id}\\.[0-9a-f-]+$`),
    )
    await axe(page)
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    const question = page.getByRole('dialog', { name: 'Export these recipients?' })
    await question.getByText('The audit log says who exported how many.').waitFor()
    await axe(page)
    const file = page.waitForEvent('download')
    await question.getByRole('button', { name: 'Export as CSV' }).click()
    assert.equal((await file).suggestedFilename(), 'November-bounced.csv')
    const recipients = (await readFile(await (await file).path(), 'utf8')).split('\r\n')
    assert.equal(recipients.length, 3)
    assert.match(recipients[1] ?? '', /^bounced@simulator\.test,Bea,bounced,/)
    await question.waitFor({ state: 'hidden' })
    await row.getByRole('link', { name: 'bounced@simulator.test', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Bea' }).waitFor()
  },
)

test(
  'a running campaign is paused, resumed and cancelled; recipients in doubt are sent to again; a viewer sees it and may do nothing',
  { skip },
  async (t) => {
    const { workspace } = slow
    await addSubscribers(slowApi, workspace, 120)
    const id = await draftOf(slowApi, workspace)
    const { page, goto } = await openWorkspace(t, slow, {
      at: `campaigns/${id}`,
      role: 'editor',
    })
    const act = async (name: string, dialog = name): Promise<void> => {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: dialog, exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    const send = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Send…' }).click()
      await agreeTo(page, 'send')
      await page.getByRole('dialog').getByRole('button', { name: 'Send to 120 people' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    // The time to take it back does not pass on a slow machine.
    await stopClock(slowApi.database.url, new Date().toISOString())
    await send()
    await act('Undo send')
    await page.getByText('Draft', { exact: true }).waitFor()
    await send()
    gate.max = 50
    await slowApi.moveClock('31 seconds')
    slowApi.service.wake('campaign')
    // Its results are there once mails left, below the live progress.
    await page.waitForURL(`**/campaigns/${id}/results`)
    await page.getByText(/\d per second/).waitFor()
    await page.getByText(/About \d+ (?:second|minute)s? left/).waitFor()
    await axe(page)
    await untilCampaign(slowApi, workspace, id, ({ sent }) => sent >= 50)
    // At once: no dialog appears while mails leave.
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('Paused by a member').waitFor()
    gate.max = 80
    // Only the mails that were already at the provider still leave.
    await untilCampaign(slowApi, workspace, id, () => slowApi.service.sending.leasedCount() === 0)
    const still = await campaignRow(slowApi, workspace, id)
    assert.ok(still.sent >= 50 && still.sent < 60, `${still.sent}`)
    await page.getByText(`${still.sent} of 120 completed`).waitFor()
    await page.locator('button:focus', { hasText: 'Resume' }).waitFor()
    await page.getByRole('link', { name: 'Delivery', exact: true }).click()
    await addsUp(page)
    await page.goBack()
    await page.waitForURL(`**/campaigns/${id}/results`)
    await page.goForward()
    await act('Resume')
    const { pending } = await untilCampaign(slowApi, workspace, id, ({ sent }) => sent >= 80)
    await page.getByText(`${120 - pending} of 120 completed`).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Cancel the rest' }).click()
    await page.getByText(`The ${pending} pending recipients won’t receive it`).waitFor()
    await axe(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the rest' }).click()
    await page.getByText('It was cancelled').waitFor()
    gate.max = Infinity
    await untilCampaign(slowApi, workspace, id, ({ status }) => status === 'sent')
    await page.getByText('120 of 120 completed (100%)').waitFor()
    await addsUp(page, ['cancelled'])
    assert.ok((await number(page, 'sent')) >= 80 && (await number(page, 'cancelled')) > 30)
    assert.equal(await number(page, 'failed'), 0)

    // As a process leaves a row that was lost past the final dot
    // (src/db/campaigns/campaign-leases.ts).
    await slowApi.run(
      `update campaign_recipient set state = 'in_doubt', status = 'queued', sent_at = null where campaign_id = '${id}' and email = 'person1@example.com'`,
    )
    await slowApi.run(
      `update campaign_run set sent = sent - 1, in_doubt = 1 where campaign_id = '${id}'`,
    )
    // The ledger is in front where it holds a doubt, and the results are one tab away.
    await goto(`campaigns/${id}`)
    await page.waitForURL(`**/campaigns/${id}/delivery`)
    await page.getByText('One recipient is in doubt').waitFor()
    await page.getByText('“Send again to those in doubt” sends the e-mail once more').waitFor()
    await page.locator('[data-figure=in_doubt]').click()
    await page.getByRole('row', { name: 'person1@example.com' }).getByText('In doubt').waitFor()
    assert.equal(await page.getByRole('row').count(), 2)
    await act('Send again to those in doubt')
    await page.getByRole('link', { name: 'Delivery', exact: true }).click()
    await page.locator('[data-figure=in_doubt]', { hasText: '0' }).waitFor()
    await page.getByText('120 of 120 completed (100%)').waitFor()
    await addsUp(page, ['cancelled'])

    const viewer = await openWorkspace(t, slow, {
      at: `campaigns/${id}/delivery`,
      role: 'viewer',
      viewport: phone,
      dark: true,
      language: 'fr',
    })
    await viewer.page.getByText('Le total est bien de 120.').waitFor()
    await axe(viewer.page)
    assert.equal(await viewer.page.getByRole('button', { name: 'Autres actions' }).count(), 0)
    await viewer.turn(`campaigns/${id}/recipients?only=cancelled`)
    await viewer.page.getByText('La campagne a été annulée avant l’envoi.').first().waitFor()
    assert.equal(await viewer.page.getByRole('button', { name: 'Exporter en CSV' }).count(), 0)
    await axe(viewer.page)
    // The former address of the results, and nobody opened anything.
    await viewer.turn(`campaigns/${id}/statistics`)
    await viewer.page.waitForURL(`**/campaigns/${id}/results`)
    assert.match(await figure(viewer.page, 'opened'), /0\s?%\s+0 sur \d+ distribués$/)
    await viewer.page.getByText('Aucune ouverture pour l’instant.').waitFor()
    await axe(viewer.page)
    const wide = await viewer.page.evaluate('document.documentElement.scrollWidth')
    assert.equal(wide, phone.width)
  },
)

test(
  'a time is set in the zone of the reader and shown in both; the copy of a campaign is a draft',
  { skip },
  async (t) => {
    const id = await draftOf(api, shop.workspace, { name: 'Later' })
    const { page } = await openWorkspace(t, shop, { at: `campaigns/${id}` })
    await page.getByRole('button', { name: 'Schedule' }).click()
    const year = new Date().getFullYear() + 1
    await page.getByLabel('Day and time').fill(`${year - 1}-01-01T09:00`)
    await page.getByText('This time is in the past.').waitFor()
    await page.getByLabel('Day and time').fill(`${year}-07-01T09:30`)
    await page.getByText('07:30 UTC').waitFor()
    await axe(page)
    await agreeTo(page, 'schedule')
    await page.getByRole('dialog').getByRole('button', { name: 'Schedule' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('09:30 (Europe/Paris)').waitFor()
    await page.getByText('Scheduled', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Unschedule' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unschedule' }).click()
    await page.getByText('Draft', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('textbox', { name: 'Name of the copy' }).fill('Another')
    await page.getByRole('dialog').getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { level: 1, name: 'Another' }).waitFor()
  },
)
