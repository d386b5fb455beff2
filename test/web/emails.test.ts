/**
 * Messages, suppressed addresses and captured mail in a real browser: found, understood, sent
 * again, opened again by hand, on a phone and in French.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { axe, openWorkspace, phone, settled } from '../support/workspace-pages.ts'
import { comes, until } from '../support/until.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('shop')
const shop = { browser, api, workspace, slug: 'shop' }

const mail = async (body: object): Promise<string> => {
  const whole = {
    from: 'hello@shop.test',
    subject: 'Hello',
    html: '<p>Hello <b>you</b></p>',
    ...body,
  }
  return textAt(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: workspace.key, body: whole }),
    'id',
  )
}

/** Until the statement finds something. */
const untilFound = (statement: ReturnType<typeof sql>) =>
  until(
    () => api.service.db.rows(statement),
    ({ length }) => length > 0,
  )

test(
  'an empty log says what it will list, and a message is there as soon as it is sent',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { at: 'emails' })
    await page.getByText('No e-mails yet').waitFor()
    await axe(page)
    await mail({ to: 'bounced@simulator.test', subject: 'Your <script>alert(1)</script> order' })
    await untilFound(
      sql`select 1 from recipient where workspace_id = ${workspace.id} and status = 'bounced'`,
    )
    await page.reload()
    await page.getByRole('link', { name: 'bounced@simulator.test' }).waitFor()
    await page.getByRole('cell').getByText('Bounced', { exact: true }).waitFor()
  },
)

test(
  'a bounce is found by a part of the address, and its page says in words how the server answered',
  { skip },
  async (t) => {
    await mail({
      to: ['lea.dubois@example.com', 'max@example.org'],
      subject: 'Invoice FR-2048',
      tags: { order: '2048' },
    })
    const { page, context, goto } = await openWorkspace(t, shop, { at: 'emails' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const search = page.getByRole('searchbox', { name: 'Search address, subject or ID' })
    await search.fill('a.dub')
    await page.waitForURL(/q=a\.dub/)
    await page.getByRole('link', { name: 'lea.dubois@example.com and 1 other' }).waitFor()
    // Until then the earlier rows stay.
    await page.locator('[data-stale=true]').waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('row').count(), 2)
    await axe(page)
    await search.fill('nothing of it')
    await page.getByText('No messages match').waitFor()
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByRole('button', { name: /^Bounced 1/ }).click()
    await page.getByRole('link', { name: 'bounced@simulator.test' }).click()
    await page
      .getByRole('heading', { level: 1, name: 'Your <script>alert(1)</script> order' })
      .waitFor()
    const story = page.getByRole('region', { name: 'bounced@simulator.test' })
    await story.getByText('The server accepted the message.').waitFor()
    await story.getByText('250 2.0.0 captured').waitFor()
    await story.getByText('Bounced: the address does not exist').waitFor()
    await page.frameLocator('iframe').getByText('Hello you').waitFor()
    await page.getByRole('tab', { name: 'Headers' }).click()
    await page.getByText('Message-ID: <').waitFor()
    await page.getByRole('tab', { name: 'Source' }).click()
    await page.getByLabel('Source', { exact: true }).getByText('MIME-Version: 1.0').waitFor()
    await page.getByText('No webhook deliveries for this message.').waitFor()
    await axe(page)
    // Whole on the page as on the clipboard; and a time as it is written in the browser's own
    // region.
    await page.getByRole('button', { name: /Copy.*Message-ID/i }).click()
    const messageId = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.match(messageId, /^<?[\w.-]+@[\w.-]+>?$/)
    await page.getByText(messageId, { exact: true }).first().waitFor()
    const time = await page.locator('time').first().textContent()
    assert.match(time ?? '', /\d{1,2} [A-Z][a-z]+ \d{4} at /)
    await goto('emails?tag=order:2048')
    await page.getByRole('link', { name: 'lea.dubois@example.com' }).waitFor()
  },
)

test(
  'a message is sent again to another address, and a suppressed one is refused where it is typed',
  { skip },
  async (t) => {
    const id = await mail({ to: 'first@example.com', subject: 'Once more' })
    const { page, goto } = await openWorkspace(t, shop, { at: `emails/${id}`, refused: [404, 422] })
    await page.getByRole('button', { name: 'Send again' }).click()
    const to = page.getByRole('textbox', { name: 'Recipients' })
    assert.equal(await to.inputValue(), 'first@example.com')
    await to.fill('first@example.com\nno-address')
    await page.getByRole('button', { name: 'Send to 2 addresses' }).click()
    await page
      .getByText('no-address: Enter a complete address, such as name@example.com.')
      .waitFor()
    assert.equal(await page.getByText(/rule|missing_at/).count(), 0)
    await to.fill('bounced@simulator.test')
    await page.getByRole('button', { name: 'Send to 1 address' }).click()
    await page.getByRole('alert').getByText('bounced@simulator.test').first().waitFor()
    await to.fill('second@example.com')
    await page.getByRole('button', { name: 'Send to 1 address' }).click()
    await page.getByRole('region', { name: 'second@example.com', exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname.endsWith(id), false, 'it is a message of its own')
    // One that is not there: said in words, with the way back and nothing to try again.
    await goto('emails/xyz')
    await page.getByRole('alert').getByText('Not found').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
    await page.getByRole('alert').getByRole('link', { name: 'E-mails' }).click()
    await page.getByRole('heading', { level: 1, name: 'E-mails' }).waitFor()
  },
)

test(
  'a mail is shown with the width of a computer’s window, and on a phone as a phone shows it',
  { skip },
  async (t) => {
    const column = (word: string): string =>
      `<div style="display:inline-block;width:300px;vertical-align:top">${word}</div>`
    const html = `<div style="max-width:600px;margin:0 auto">${column('Left')}${column('Right')}</div>`
    const id = await mail({ to: 'columns@example.com', subject: 'Side by side', html })
    await untilFound(
      sql`select 1 from captured_mail where workspace_id = ${workspace.id} and recipient = 'columns@example.com'`,
    )
    const { page, goto } = await openWorkspace(t, shop, { at: 'captured' })
    await page.getByRole('link', { name: 'columns@example.com' }).click()
    await page.waitForURL(/captured\/./)
    for (const at of [new URL(page.url()).pathname.split('/').slice(3).join('/'), `emails/${id}`]) {
      await goto(at)
      const frame = page.locator('iframe')
      await frame.contentFrame().getByText('Right').waitFor()
      for (const width of [1280, 800, 640, 360]) {
        await page.setViewportSize({ width, height: 900 })
        await settled(page)
        const readRoom = async () =>
          Number(await frame.contentFrame().locator('html').evaluate('innerWidth'))
        // The page gives the frame its width after it has got its own.
        await comes(async () => (await readRoom()) >= 600 === width > 360)
        const room = await readRoom()
        const words = frame.contentFrame().locator('div > div')
        const [left, right] = [await words.first().boundingBox(), await words.last().boundingBox()]
        assert.ok(left && right)
        assert.equal(room >= 600, width > 360, `${at} at ${width}: ${room}`)
        assert.equal(left.y === right.y, width > 360, `${at} at ${width}`)
        assert.equal(
          await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
          true,
          `${at} at ${width}`,
        )
      }
    }
  },
)

test(
  'an address is searched for, and removed from suppression with a reason in the audit log',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { at: 'suppression' })
    await page.getByRole('searchbox', { name: 'Search addresses' }).fill('bounced@simulator.test')
    await page.getByText('The receiving server says that the address does not exist.').waitFor()
    await axe(page)
    await page.getByRole('button', { name: 'Remove: bounced@simulator.test' }).first().click()
    const now = page.getByRole('button', { name: 'Remove from suppression' })
    assert.equal(await now.isDisabled(), true, 'not without a reason')
    await page
      .getByRole('textbox', { name: 'Why can it receive e-mails again?' })
      .fill('Asked by phone, ticket 4211')
    await axe(page)
    await now.click()
    await page.getByText('bounced@simulator.test is not suppressed').waitFor()
    const stored = await api.service.db.rows<{ details: object }>(sql`
    select details from audit_log where workspace_id = ${workspace.id} and act = 'suppression.lifted'`)
    assert.partialDeepStrictEqual(stored, [
      { details: { reason: 'Asked by phone, ticket 4211', was: 'bounce' } },
    ])
  },
)

test(
  'a file of suppressed addresses is imported, with a report of the refused lines',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { at: 'suppression/import' })
    const buffer = Buffer.from('email,reason\ngone@example.com,bounce\nnobody\nleft@example.com,\n')
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'closed.png', mimeType: 'image/png', buffer })
    await page.getByText('Accepted types: CSV or TXT.').waitFor()
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'closed.csv', mimeType: 'text/csv', buffer })
    const report = page.getByRole('region', { name: 'Report' })
    await report.getByText('The address is not valid').waitFor()
    await report.getByText('nobody').waitFor()
    await axe(page)
    const stored = page.waitForEvent('download')
    await report.getByRole('link', { name: 'Download' }).click()
    assert.equal((await stored).suggestedFilename(), 'refused-suppression.csv')
    await page.getByRole('link', { name: 'Suppression' }).first().click()
    await page.getByRole('cell', { name: 'gone@example.com', exact: true }).waitFor()
  },
)

test('an upload shows its progress, in bytes, and can be cancelled', { skip }, async (t) => {
  const { page, turn, context } = await openWorkspace(t, shop, { at: 'emails' })
  const devices = await context.newCDPSession(page)
  // Three minutes for each upload: it goes on when the test cancels it.
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 20_000 }
  await devices.send('Network.emulateNetworkConditions', slow)
  const buffer = Buffer.from(`email\n${'someone@example.com\n'.repeat(200_000)}`)
  for (const path of ['suppression/import', 'subscribers/import']) {
    await turn(path)
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'long.csv', mimeType: 'text/csv', buffer })
    await page.getByText(/^[\d.]+ [kM]B of 3\.8 MB$/).waitFor()
    const bar = page.getByRole('progressbar')
    const share = async (): Promise<number> => Number(await bar.getAttribute('aria-valuenow'))
    await until(share, (observed) => observed > 0)
    assert.ok((await share()) < 100)
    await axe(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Choose a file' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
  }
})

test(
  'captured mail is read in French on a phone in the dark, by a viewer who can change nothing',
  { skip },
  async (t) => {
    const query = { language: 'fr', viewport: phone, dark: true, role: 'viewer' } as const
    const { page, turn } = await openWorkspace(t, shop, { ...query, at: 'captured' })
    await page.getByRole('link', { name: 'max@example.org' }).waitFor()
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    assert.equal(await fits(), true)
    await axe(page)
    await page.getByRole('link', { name: 'max@example.org' }).click()
    await page.getByRole('link', { name: 'Ouvrir le message' }).click()
    await page.getByRole('heading', { name: 'Chronologie' }).waitFor()
    await page
      .getByRole('region', { name: 'max@example.org' })
      .getByText('Distribué', { exact: true })
      .first()
      .waitFor()
    assert.equal(await page.getByRole('button', { name: 'Renvoyer' }).count(), 0)
    assert.equal(await fits(), true)
    await axe(page)
    for (const path of ['emails', 'suppression']) {
      await turn(path)
      await page.getByRole('table').waitFor()
      assert.equal(await fits(), true, path)
      await axe(page)
    }
    assert.equal(await page.getByRole('button', { name: 'Retirer :' }).count(), 0)
  },
)

test('a page says that the service fails, and asks again by a press', { skip }, async (t) => {
  const { page, turn } = await openWorkspace(t, shop, { refused: [500] })
  await page.route('**/api/v1/messages**', (route) =>
    route.fulfill({ status: 500, body: 'broken' }),
  )
  await turn('emails')
  await page.getByRole('alert').getByText('can’t be reached').waitFor()
  await page.unroute('**/api/v1/messages**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('table', { name: 'E-mails' }).waitFor()
})

for (const { path, operation } of [
  { path: 'emails', operation: 'messages' },
  { path: 'subscribers', operation: 'audience/contacts' },
])
  test(
    `${path}: a refused next page is reported and requested once, and again by a press when its time has come`,
    { skip },
    async (t) => {
      const { page, turn } = await openWorkspace(t, shop, { refused: [429] })
      await page.clock.install()
      const listed = (rest: object) => ({ json: { object: 'list', data: [], ...rest } })
      let requested = 0
      await page.route(new RegExp(`/api/v1/${operation}(\\?|$)`), (route) => {
        if (!route.request().url().includes('cursor='))
          return route.fulfill(listed({ has_more: true, next_cursor: 'further' }))
        if (++requested > 1) return route.fulfill(listed({ has_more: false, next_cursor: null }))
        const error = {
          code: 'rate_limit_exceeded',
          message: 'Too many',
          details: { limit: 600, retry_after: 600 },
        }
        return route.fulfill({ status: 429, headers: { 'Retry-After': '600' }, json: { error } })
      })
      await turn(path)
      const alert = page.getByRole('alert')
      await alert.getByText('Too many').waitFor()
      await settled(page)
      assert.equal(requested, 1)
      assert.equal(
        await alert.getByRole('button', { name: /Try again in \d+ s/ }).isDisabled(),
        true,
      )
      await page.clock.fastForward(601_000)
      await alert.getByRole('button', { name: 'Try again', exact: true }).click()
      await alert.waitFor({ state: 'detached' })
      await settled(page)
      assert.equal(requested, 2)
    },
  )

test(
  'a refusal says in words how to fix it, by the refused request, in French too',
  { skip },
  async (t) => {
    const { page, turn } = await openWorkspace(t, shop, {
      at: 'subscribers/fields',
      language: 'fr',
      refused: [409],
    })
    const key = page.getByRole('textbox', { name: 'Clé' })
    for (const text of ['Le champ a été ajouté.', 'Un champ a déjà la clé « pointure »']) {
      await key.fill('pointure')
      await page.getByRole('button', { name: 'Ajouter' }).click()
      await page.getByText(text).waitFor()
    }
    assert.doesNotMatch(
      (await page.getByRole('alert').allTextContents()).join(),
      /field_exists|état actuel/,
    )
    const error = { code: 'conflict', message: 'Not now', details: { reason: 'running' } }
    await page.route('**/suppression/imports?*', (route) =>
      route.fulfill({ status: 409, json: { error } }),
    )
    await turn('suppression/import')
    const buffer = Buffer.from('email\n')
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'closed.csv', mimeType: 'text/csv', buffer })
    await page.getByText('Un autre fichier de cet espace est en cours d’import').waitFor()
    assert.equal(await page.getByText('running').count(), 0)
  },
)
