/**
 * Webhooks in the pages: a failing one is explained, mended, replayed and healthy again; its
 * secret, changes and deletion.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishEvents } from '../../src/core/events/publish-events.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { stopClock } from '../support/database.ts'
import { ask } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const { service } = api
const receiver = await startReceiver()
const workspace = await api.workspace('shop')
const shop = { browser, api, workspace, slug: 'shop' }

const hostile =
  '<script>document.title = "run"</script><img src=x onerror="document.title = `run`">\u202egnp.exe'

interface Named {
  ariaLabel: string | null
  textContent: string
}
const namesOf = (elements: unknown): string[] =>
  (elements as Named[]).map((element) => element.ariaLabel ?? element.textContent)

async function publish(): Promise<void> {
  await service.db.transaction((tx) =>
    publishEvents(tx, workspace.id, [{ type: 'campaign.sent', data: { name: hostile } }]),
  )
  service.wake('webhook')
}

test(
  'created, failing, explained, mended, replayed with its number, healthy; a hostile answer is text',
  { skip },
  async (t) => {
    receiver.answer = (_request, response) =>
      void response.writeHead(503, { 'content-type': 'text/html' }).end(hostile)
    const { page } = await openWorkspace(t, shop, { at: 'webhooks', role: 'editor' })
    await page.getByText('No webhooks yet').waitFor()
    await axe(page)

    await page.getByRole('link', { name: 'Create a webhook' }).first().click()
    const url = page.getByLabel('URL')
    await url.fill('https://10.0.0.1/')
    await page.getByText('This address is not public').waitFor()
    await url.fill('')
    for (const name of ['email.delivered', 'email.bounced', 'email.complained'])
      await page.getByRole('checkbox', { name }).uncheck()
    await page.getByRole('button', { name: 'Create a webhook' }).click()
    await page.getByText('Enter the URL').waitFor()
    await page.getByText('Choose at least one event').waitFor()
    await page.getByRole('button', { name: 'Example of campaign.sent' }).click()
    await page.getByText('"type": "campaign.sent"').waitFor()
    await axe(page)
    await url.fill(receiver.url)
    await page.getByLabel('Name').fill('Order desk')
    await page.getByRole('checkbox', { name: 'campaign.sent' }).check()
    // Who clicks twice has one.
    await page.getByRole('button', { name: 'Create a webhook' }).dblclick()
    await page.getByText(/^whsec_/).waitFor()
    const created = await service.db.rows(
      sql`select id from webhook where workspace_id = ${workspace.id}`,
    )
    assert.equal(created.length, 1)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The test failed').waitFor()
    await page.getByText('Your service returned 503 instead of 2xx').waitFor()
    await axe(page)

    // The second attempt waits for its time, however slow the machine is.
    await stopClock(api.database.url, new Date().toISOString())
    await publish()
    await page.getByRole('link', { name: 'View webhook' }).click()
    await page.getByRole('heading', { level: 1, name: 'Order desk' }).waitFor()
    await page.getByText('Failing', { exact: true }).waitFor()
    const row = page.getByRole('row').filter({ hasText: 'Pending' })
    await row.getByText('Your service returned 503').waitFor()
    await axe(page)
    await row.getByRole('link').click()
    await page.getByText(hostile.slice(0, 30)).last().waitFor()
    assert.match(
      await page.getByLabel('Request', { exact: true }).innerText(),
      /^POST http:.*\nhost: [\s\S]*service-signature: t=\d+,v1=/,
    )
    assert.equal(await page.getByLabel('Response', { exact: true }).innerText(), hostile)
    assert.notEqual(await page.title(), 'run')
    await axe(page)
    await page.getByRole('link', { name: /^evt_/ }).click()
    await page.getByRole('heading', { name: 'Webhooks called' }).waitFor()
    await page.getByRole('link', { name: 'Order desk' }).waitFor()
    await axe(page)

    receiver.answer = (_request, response) => void response.end('taken')
    await page.getByRole('link', { name: 'Order desk' }).click()
    await page.getByRole('link', { name: 'Order desk' }).click()
    await page.getByRole('button', { name: 'Replay a period' }).click()
    // Waiting is not undelivered yet; with all of them it is not either: the ladder has it.
    await page.getByText('Deliveries to send again: 0').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('row').filter({ hasText: 'Pending' }).getByRole('link').click()
    await page.getByRole('button', { name: 'Send again now' }).click()
    await page.getByText('It was delivered').waitFor()
    await api.moveClock('0')
    await page.getByText('Attempt 2').waitFor()
    assert.equal(await page.getByLabel('Response', { exact: true }).first().innerText(), 'taken')
    await page.getByRole('link', { name: 'Order desk' }).click()
    await page.getByText('Healthy', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.getByText('Your service is no longer called').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByText('This webhook is disabled').waitFor()
    await publish()
    await publish()
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Replay a period' }).click()
    await page.getByText('Deliveries to send again: 2').waitFor()
    await axe(page)
    await page.getByRole('button', { name: 'Replay 2' }).click()
    await page.getByText('Deliveries being sent again: 2').waitFor()
    await page.getByRole('row').filter({ hasText: '200 in' }).nth(2).waitFor()

    const states = page.getByRole('group', { name: 'Status' })
    await states.getByRole('button', { name: /^Failed / }).click()
    await page.getByRole('row').filter({ hasText: 'test' }).waitFor()
    await page.getByLabel('Event', { exact: true }).selectOption('email.sent')
    await page.getByText('No deliveries match').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'Any time' }).click()
    await page.getByRole('radio', { name: 'Custom' }).check()
    await page.getByLabel('Start date').fill('2020-01-01')
    await page.getByLabel('End date').fill('2020-01-02')
    await page.getByText('No deliveries match').waitFor()
  },
)

test(
  'on a phone, dark and in French: the secret is replaced with an overlap, a webhook changed and deleted',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, {
      at: 'webhooks',
      language: 'fr',
      viewport: phone,
      dark: true,
    })
    await page.getByRole('link', { name: 'Order desk' }).click()
    await page.getByRole('heading', { name: 'Livraisons' }).waitFor()
    await axe(page)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), phone.width)
    await page.getByRole('button', { name: 'Afficher le secret' }).click()
    const secret = await page.getByText(/^whsec_/).innerText()
    await page.getByRole('button', { name: 'Renouveler le secret' }).click()
    await page.getByLabel('Continuer à signer avec l’ancien secret').selectOption('72')
    await page.getByRole('dialog').getByRole('button', { name: 'Renouveler le secret' }).click()
    await page.getByText('Les appels sont aussi signés avec l’ancien secret').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.waitForFunction(`!document.body.innerText.includes(${JSON.stringify(secret)})`)
    await page.getByRole('button', { name: 'Envoyer un test' }).click()
    await page.getByText('votre service a répondu 200').waitFor()
    assert.match(String(receiver.calls.at(-1)?.headers['service-signature']), /v1=\w+,v1=/)

    await page.getByRole('link', { name: 'Modifier' }).click()
    await page.getByLabel('Nom').fill('Caisse')
    await page.getByRole('button', { name: 'Enregistrer' }).click()
    await page.getByRole('heading', { level: 1, name: 'Caisse' }).waitFor()
    await page.getByRole('button', { name: 'Supprimer le webhook' }).click()
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Supprimer le webhook' })
    assert.equal(await remove.isDisabled(), true)
    await page.getByRole('dialog').getByRole('textbox').fill('Caisse')
    await axe(page)
    await remove.click()
    await page.getByText('Aucun webhook pour l’instant').waitFor()
  },
)

test(
  'a viewer sees how webhooks fare, and neither secrets nor what changes them',
  { skip },
  async (t) => {
    const create = {
      key: workspace.key,
      body: { url: 'https://127.0.0.1:1/', name: 'Quiet', events: ['email.sent'] },
    }
    await ask(api.baseUrl, 'POST /api/v1/webhooks', create)
    const { page } = await openWorkspace(t, shop, { at: 'webhooks', role: 'viewer' })
    await page.getByRole('link', { name: 'Quiet' }).click()
    await page.getByText('No deliveries yet').waitFor()
    const buttons = await page.getByRole('main').getByRole('button').evaluateAll(namesOf)
    const filters = /^(?:Search or go to|Copy: URL|All statuses|Delivered|Pending|Failed|Any time)/
    assert.deepEqual(
      buttons.filter((name) => !filters.test(name)),
      [],
    )
  },
)
