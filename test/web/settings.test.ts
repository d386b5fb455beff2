/**
 * Settings in the pages: a key's life, a domain from its first record to verified, a form from its
 * colours to a subscriber; and what readers see.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { upsertSender } from '../../src/db/workspaces/senders.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { mailsTo } from '../support/mails.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const dns = await startDnsServer({
  names: { 'other.test': { TXT: ['v=spf1 ip4:198.51.100.1 -all'] } },
})
const { browser, skip } = await startBrowser()
const api = await startApi({
  entry: operatorEntryPoints(),
  dnsServers: [dns.address],
  settings: { bounceHost: 'mx.facteur.test', spf: ['ip4:192.0.2.10'] },
})
const workspace = await api.workspace('shop')
const shop = { browser, api, workspace, slug: 'shop' }

const hostile = '"><img src=x onerror="document.title=`run`"><script>document.title="run"</script>'

test(
  'a key is made with its permissions explained, shown once, used, seen as used, revoked: 401',
  { skip },
  async (t) => {
    const { page, context, goto } = await openWorkspace(t, shop, {
      at: 'settings/keys',
      refused: [422],
    })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByText('Send single e-mails and read their status.').waitFor()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create a key' }).click()
    await page.getByText('This field is required.').waitFor()
    await page.getByLabel('Name').fill(hostile)
    await page.getByRole('checkbox', { name: 'campaigns:read' }).check()
    await page.getByLabel('Expires').selectOption({ label: '90 days' })
    await axe(page)
    await dialog.getByRole('button', { name: 'Create a key' }).click()
    await page.getByText('This key won’t be shown again').waitFor()
    const key = (await dialog.getByText(/^fct_live_/).textContent()) ?? ''
    await page.getByRole('button', { name: 'Copy: the key' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), key)
    await axe(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('row').filter({ hasText: hostile })
    await row.getByText('Never').waitFor()
    const call = (): ReturnType<typeof ask> =>
      ask(api.baseUrl, 'GET /api/v1/me', { headers: { authorization: `Bearer ${key}` } })
    assertAnswered(await call(), 200, { scopes: ['emails:send', 'campaigns:read'] })
    await goto('settings/keys')
    await row.getByText('just now').waitFor()
    assert.equal((await page.content()).includes(key), false, 'it is not shown again')
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Calls with this key are refused').waitFor()
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await row.waitFor({ state: 'detached' })
    assertRefused(await call(), 'revoked_api_key')
    await page
      .getByRole('switch', { name: 'Show the revoked or expired key' })
      .check({ force: true })
    await row.getByText('Revoked', { exact: true }).waitFor()
  },
)

/** The values that a user copies from the page to their DNS provider. */
async function recordOf(page: Page, title: string): Promise<{ name: string; value: string }> {
  const row = page.getByRole('row', { name: title, exact: true })
  const read = async (field: string): Promise<string> =>
    (await row.locator(`[data-field=${field}]`).textContent()) ?? ''
  return { name: await read('name'), value: await read('value') }
}

test(
  'a domain is added, shows wrong and expected values, and is verified while its page is open',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { at: 'settings/domains', refused: [422] })
    await page.clock.install()
    await page.getByRole('button', { name: 'Add a domain' }).click()
    const dialog = page.getByRole('dialog')
    await page.getByRole('textbox', { name: 'Domain' }).fill('no domain')
    await dialog.getByRole('button', { name: 'Add a domain' }).click()
    await page.getByText('Enter a domain name').waitFor()
    await page.getByRole('textbox', { name: 'Domain' }).fill(' https://Mail.New.test/about ')
    await dialog.getByRole('button', { name: 'Add a domain' }).click()
    await page.getByRole('heading', { level: 1, name: 'mail.new.test' }).waitFor()
    await page.getByText('Not verified yet').waitFor()
    await page.getByRole('button', { name: 'Copy: Domain' }).waitFor()
    await axe(page)

    const spf = await recordOf(page, 'SPF')
    dns.set(spf.name, {
      TXT: ['v=spf1 include:other.test -all'],
      MX: [{ preference: 10, exchange: 'elsewhere.test' }],
    })
    await page.getByRole('button', { name: 'Check now' }).click()
    const wrong = page.getByRole('row', { name: 'SPF', exact: true })
    await wrong.getByText('It does not allow e-mails from here').waitFor()
    await wrong.getByText('v=spf1 include:other.test -all', { exact: true }).waitFor()
    assert.equal(
      (await recordOf(page, 'SPF')).value,
      'v=spf1 include:other.test ip4:192.0.2.10 -all',
    )
    await page
      .getByRole('row', { name: 'Return path', exact: true })
      .getByText('It points elsewhere.')
      .waitFor()
    await axe(page)

    dns.set(spf.name, {
      TXT: [(await recordOf(page, 'SPF')).value],
      MX: [{ preference: 10, exchange: 'mx.facteur.test' }],
    })
    for (const title of ['DKIM signature (RSA)', 'DKIM signature (Ed25519)', 'DMARC']) {
      const { name, value } = await recordOf(page, title)
      dns.set(name, { TXT: [value] })
    }
    await api.moveClock('10 seconds')
    await page.clock.fastForward(16_000)
    await page.getByText('You can send from mail.new.test').waitFor()
    await page.getByText('All records were found.').waitFor()
    await axe(page)

    await page.getByRole('button', { name: 'Rotate keys' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate keys' }).click()
    await page.getByText('New keys are waiting for DNS records').waitFor()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByLabel('Type “mail.new.test” to confirm').fill('mail.new.test')
    await page.getByRole('button', { name: 'Remove domain' }).click()
    await page.getByText('mail.new.test was removed.').waitFor()
    await page.getByRole('link', { name: 'shop.test' }).waitFor()
    await api.moveClock('0')
  },
)

test(
  'a form is written beside its preview, refused while it cannot be read, opened, signed up with, confirmed by its own mail',
  { skip },
  async (t) => {
    const { page, context } = await openWorkspace(t, shop, { at: 'settings/forms', refused: [422] })
    await page.getByText('No forms yet').waitFor()
    await axe(page)
    await page.getByRole('link', { name: 'New form' }).first().click()
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Letters')
    await page.getByLabel('Consent').fill(hostile)
    await page.getByRole('button', { name: 'Add a field' }).click()
    await page.getByRole('menuitem', { name: 'Custom field' }).click()
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('city')
    await page.getByLabel('Label').fill('Your city')
    await page.getByRole('combobox', { name: 'Tags' }).fill('letters')
    await page.keyboard.press('Enter')
    await page.getByLabel('Subject').fill('Do you want our letters?')
    await page
      .getByRole('textbox', { name: 'Message', exact: true })
      .fill('Press the button\nand we write.')
    const shown = page.frameLocator('iframe[title="Page"]')
    await shown.getByRole('heading', { name: 'Letters' }).waitFor()
    await shown.getByLabel('Your city').waitFor()
    await page.getByLabel('Language of the visitor').selectOption('Français')
    await shown.getByLabel('Adresse e-mail').waitFor()
    await shown.getByText(hostile).waitFor()
    await page.getByRole('switch', { name: 'Custom colours' }).check({ force: true })
    await page.getByLabel('Background').fill('#10261c')
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('#2f4439')
    await page.getByText('Not enough contrast: 4.5 : 1 at least').waitFor()
    await page.getByRole('button', { name: 'Create form' }).click()
    await page.getByText('Not enough contrast: 4.5 : 1 at least.').first().waitFor()
    await axe(page)
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('#f2fff8')
    await page.getByRole('textbox', { name: 'Button', exact: true }).first().fill('#7be0b0')
    await page.getByText('Readable').nth(1).waitFor()
    await page.getByRole('tab', { name: 'Confirmation e-mail' }).click()
    await page
      .frameLocator('iframe[title="Confirmation e-mail"]')
      .getByText('and we write.')
      .waitFor()
    await axe(page)
    await page.getByRole('button', { name: 'Create form' }).click()
    await page.getByText('Its page', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Embed code for your site' }).click()
    await page
      .getByLabel('Embed code for your site', { exact: true })
      .getByText('<form method="post"')
      .waitFor()
    await page.getByRole('combobox', { name: 'Pages that embed the form' }).fill('x')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('x: Enter an origin, such as https://shop.example').waitFor()
    await page.getByRole('combobox', { name: 'Pages that embed the form' }).focus()
    await page.keyboard.press('Backspace')
    await page.keyboard.type('https://shop.example')
    await page.keyboard.press('Enter')
    await page.getByLabel('Redirect after confirmation').fill('https://shop.example/welcome')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Embed code with a script' }).click()
    await page.getByText('Paste it where the form should appear').waitFor()
    await page.getByText('<script type="module">').waitFor()
    await axe(page)
    await page.getByLabel('Redirect after confirmation').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('You have unsaved changes').waitFor({ state: 'hidden' })

    const [visitor] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Open it' }).click(),
    ])
    await visitor.getByRole('heading', { name: 'Letters' }).waitFor()
    assert.equal(
      await visitor.evaluate('getComputedStyle(document.querySelector("main")).backgroundColor'),
      'rgb(16, 38, 28)',
    )
    assert.equal(
      await visitor.evaluate('getComputedStyle(document.querySelector("button")).backgroundColor'),
      'rgb(123, 224, 176)',
    )
    assert.notEqual(await visitor.title(), 'run')
    await axe(visitor)
    await visitor.getByLabel('E-mail address').fill('ada@example.com')
    await visitor.getByLabel('Your city').fill('Oslo')
    await api.moveClock('20 seconds')
    await visitor.getByRole('button', { name: 'Subscribe' }).click()
    await visitor.getByRole('heading', { name: 'Check your inbox' }).waitFor()
    const [mail] = await mailsTo(api.service, workspace.id, 'ada@example.com')
    assert.match(mail?.subject ?? '', /Do you want our letters\?/)
    const link = /http:\S+\/confirm\/[\w-]+/.exec(mail?.text ?? '')?.[0] ?? ''
    await visitor.goto(link)
    await visitor.getByRole('button').click()
    await visitor.getByRole('heading', { level: 1 }).waitFor()
    const contact = await ask(api.baseUrl, 'GET /api/v1/subscribers/ada%40example.com', {
      key: workspace.key,
    })
    assertAnswered(contact, 200, {
      status: 'subscribed',
      tags: ['letters'],
      fields: { city: 'Oslo' },
    })

    await page.getByRole('button', { name: 'Close form' }).click()
    await page.getByText('The form is closed').waitFor()
    await visitor.goto(
      page.url().replace(/\/app\/.*/, '') + `/forms/${page.url().split('/').at(-1)}`,
    )
    await visitor.getByRole('heading', { name: 'Subscriptions are closed' }).waitFor()
    await api.moveClock('0')
  },
)

test(
  'senders, details of the workspace, its language and its tracking are changed and stay',
  { skip },
  async (t) => {
    const { page, goto } = await openWorkspace(t, shop, {
      at: 'settings/senders',
      refused: [409, 422],
    })
    await page.getByRole('button', { name: 'Add a sender' }).click()
    await page.getByLabel('Address').fill('nobody')
    await page.getByRole('dialog').getByRole('button', { name: 'Add a sender' }).click()
    await page.getByText('Enter a complete address').waitFor()
    await page.getByLabel('Address').fill('me@elsewhere.test')
    await page.getByRole('dialog').getByRole('button', { name: 'Add a sender' }).click()
    await page.getByText('elsewhere.test is not verified. Verify it first in').waitFor()
    await page.getByRole('dialog').getByRole('link', { name: 'Domains' }).waitFor()
    await axe(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await shop.workspace.addDomain('lost.test')
    const lost = { id: api.service.makeId(), name: null, email: 'me@lost.test' }
    await upsertSender(api.service.db, shop.workspace.id, lost)
    await api.run(`update domain set status = 'pending' where name = 'lost.test'`)
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: 'me@lost.test' })
    await row.getByText('Cannot send: domain not verified').waitFor()
    assert.equal(await row.getByRole('button', { name: 'Make default' }).count(), 0)
    await page.getByRole('button', { name: 'Remove hello@shop.test' }).click()
    await page.getByRole('button', { name: 'Remove sender' }).click()
    await page.getByText('Choose another default first.').waitFor()
    await axe(page)

    await goto('settings/general')
    await page.getByLabel('Workspace name').fill('Shop & Sons')
    await page.getByLabel('Postal address').fill('Shop\n1 High Street')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('navigation').getByText('Shop & Sons').waitFor()
    await goto('settings/tracking')
    await page.getByRole('switch', { name: 'Track opens' }).click({ force: true })
    await page.getByText('Saved.').waitFor()
    await goto('settings/languages')
    await page
      .getByRole('radiogroup', { name: 'Language of confirmation e-mails' })
      .getByRole('radio', { name: 'English' })
      .click()
    await page.getByText('Saved.').waitFor()
    const { settings } = (await page.evaluate(
      'fetch("/workspaces/shop/api/v1/settings").then((answer) => answer.json()).then((settings) => ({ settings }))',
    )) as { settings: object }
    assert.partialDeepStrictEqual(settings, {
      ...{
        name: 'Shop & Sons',
        postal_address: 'Shop\n1 High Street',
        track_opens: false,
        language: 'en',
      },
    })
  },
)

test(
  'a reader, in French, in the dark, on a phone: every page is whole, and offers nothing that would be refused',
  { skip },
  async (t) => {
    const options = { role: 'viewer', language: 'fr', dark: true, viewport: phone } as const
    const { page, turn } = await openWorkspace(t, shop, options)
    const pages = [
      'keys',
      'domains',
      'domains/shop.test',
      'senders',
      'forms',
      'plan',
      'tracking',
      'languages',
      'general',
    ]
    for (const path of pages) {
      await turn(`settings/${path}`)
      await page.locator('[aria-label="Chargement"]').waitFor({ state: 'detached' })
      await axe(page)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      assert.ok(Number(width) <= phone.width, `${path} is ${String(width)} px wide`)
      for (const verb of [
        'Créer une clé',
        'Ajouter',
        'Révoquer',
        'Enregistrer',
        'Retirer',
        'Nouveau',
      ])
        assert.equal(await page.getByRole('button', { name: verb }).count(), 0, `${path}: ${verb}`)
    }
  },
)
