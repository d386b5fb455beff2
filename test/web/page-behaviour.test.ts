/** The behaviour that all pages share: toasts, keys, times, ranges, long addresses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('shop')
const shop = { browser, api, workspace, slug: 'shop' }

/** Addresses with many words, and with one that is too wide for any phone. */
const addresses = [
  'christophe-alexandre.de-la-fontaine@newsletters.example-company.com',
  'averyveryverylonglocalpartwithoutanydotorhyphen@example.com',
  'ada@example.com',
]
for (const email of addresses)
  assertAnswered(
    await ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: workspace.key,
      body: { email, double_opt_in: false },
    }),
    201,
  )

/** Buttons, links and fields that lie under a toast, of those on the screen. */
const covered = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const toasts = [...document.querySelectorAll('[data-toast]')].map((toast) => toast.getBoundingClientRect())
    const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
    // An element that is scrolled out of its box is not on the screen.
    const seen = (element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect()
      const box = { left, right, top, bottom }
      for (let around = element.parentElement; around; around = around.parentElement) {
        if (around === document.body || getComputedStyle(around).overflowY === 'visible') continue
        const clip = around.getBoundingClientRect()
        box.top = Math.max(box.top, clip.top)
        box.bottom = Math.min(box.bottom, clip.bottom)
      }
      return box
    }
    return [...document.querySelectorAll('button, a[href], input, select, textarea')]
      .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest('[data-toast]'))
      .map((each) => [each, seen(each)])
      .filter(([, box]) => box.right - box.left > 1 && box.bottom > box.top && toasts.some((toast) => meets(toast, box)))
      .map(([each]) => each.textContent || each.ariaLabel || each.name || each.outerHTML)
  })()`)

/** A toast goes after five seconds, in which a busy machine does not measure it. */
const toastsStay = `{
  const later = window.setTimeout
  window.setTimeout = (work, ms, ...rest) => (ms === 5_000 ? 0 : later(work, ms, ...rest))
}`

for (const { name, viewport } of [
  { name: 'a desk', viewport: { width: 1280, height: 560 } },
  { name: 'a phone', viewport: phone },
])
  for (const dark of [false, true])
    test(
      `${name}, ${dark ? 'dark' : 'light'}: a toast covers no button, wherever the page is scrolled to`,
      { skip },
      async (t) => {
        const { page } = await openWorkspace(t, shop, { at: 'settings/general', viewport, dark })
        await page.evaluate(toastsStay)
        await page.evaluate('scrollTo(0, 120)')
        await page.getByLabel('Postal address').fill(`Shop\n${name} ${dark}`)
        await page.getByRole('button', { name: 'Save' }).first().click()
        await page.locator('[data-toast]').getByText('Saved.').waitFor()
        await finalLayout(page)
        assert.deepEqual(await covered(page), [])
        await page.evaluate('scrollTo(0, 0)')
        assert.deepEqual(await covered(page), [])
        await axe(page)
        await page.locator('[data-toast]').getByRole('button', { name: 'Close' }).click()
        assert.equal(await page.locator('[data-toast]').count(), 0)
      },
    )

/** Until ten frames in a row have the same layout: what loads late may move what was measured. */
const finalLayout = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((done) => {
    let last = '', same = 0
    const compare = () => {
      const now = JSON.stringify([...document.body.querySelectorAll('*')].map((each) => each.getBoundingClientRect()))
      same = now === last ? same + 1 : 0
      last = now
      if (same === 10) done()
      else requestAnimationFrame(compare)
    }
    compare()
  })`)

test(
  'on a phone Escape closes the menu, and its button has the focus again',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { viewport: phone })
    const menu = page.getByRole('navigation')
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await menu.getByRole('link', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Escape')
    await menu.getByRole('link', { name: 'Overview' }).waitFor({ state: 'hidden' })
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Menu')
  },
)

test(
  'times are no tab stops, and still say when exactly to a screen reader',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { at: 'subscribers' })
    await page.locator('main time').first().waitFor()
    assert.equal(await page.locator('time[tabindex]').count(), 0)
    assert.match(
      (await page.locator('main time').first().textContent()) ?? '',
      /\d{4}.*\d+:\d\d:\d\d/,
    )
  },
)

test('the invitation dialog has a Cancel, in both languages', { skip }, async (t) => {
  for (const [language, invite, cancel] of [
    ['en', 'Invite', 'Cancel'],
    ['fr', 'Inviter', 'Annuler'],
  ] as const) {
    const { page } = await openWorkspace(t, shop, { at: 'settings/members', language })
    await page.getByRole('button', { name: invite }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: cancel, exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  }
})

test(
  'a range of days cannot be inverted: the other end follows, and an inverted address is read in order',
  { skip },
  async (t) => {
    const { page, goto } = await openWorkspace(t, shop, { at: 'emails' })
    const [from, to] = [page.getByLabel('Start date'), page.getByLabel('End date')]
    await page.getByRole('button', { name: 'Any time' }).click()
    await page.getByRole('radio', { name: 'Custom dates' }).check()
    await to.fill('2026-11-05')
    await from.fill('2026-12-01')
    assert.doesNotMatch(page.url(), /from=2026-12-01/, 'nothing is asked by an inverted range')
    await from.blur()
    assert.deepEqual([await from.inputValue(), await to.inputValue()], ['2026-12-01', '2026-12-01'])
    await to.fill('2026-11-01')
    await to.blur()
    assert.deepEqual([await from.inputValue(), await to.inputValue()], ['2026-11-01', '2026-11-01'])
    await goto('emails?from=2026-11-20&to=2026-11-10')
    await page.getByRole('button', { name: /^From / }).click()
    assert.deepEqual([await from.inputValue(), await to.inputValue()], ['2026-11-10', '2026-11-20'])
  },
)

/** Addresses whose words a line ends within, or that reach beyond the screen. */
const brokenAddresses = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const tops = (range) => new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    const found = []
    const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode
      if (!node.parentElement.checkVisibility() || !node.parentElement.closest('[data-address]') && !node.data.includes('@')) continue
      for (const { 0: word, index } of node.data.matchAll(/[\\w]+/g)) {
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        if (tops(range) > 1) found.push(word)
      }
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the screen')
    return found
  })()`)

for (const width of [360, 1280])
  test(
    `${width} px: addresses go on to another line between their words alone, in tables, cards and titles`,
    { skip },
    async (t) => {
      const { page, goto } = await openWorkspace(t, shop, {
        at: 'subscribers',
        viewport: { width, height: 900 },
      })
      const polled: string[] = []
      const query = async (path: string): Promise<void> => {
        await goto(path)
        await page.locator('main [data-address]').first().waitFor()
        polled.push(...(await brokenAddresses(page)).map((word) => `${path}: ${word}`))
      }
      await query('subscribers')
      for (const email of addresses) await query(`subscribers/${encodeURIComponent(email)}`)
      await query('settings/senders')
      await query('settings/members')
      for (const email of addresses)
        await ask(api.baseUrl, 'POST /api/v1/emails', {
          key: workspace.key,
          body: { from: `hello@${workspace.domain}`, to: email, subject: 'x', text: 'x' },
        })
      await query('emails')
      const [message] = await api.service.db.rows<{ id: string }>(
        sql`select message_id as id from recipient where workspace_id = ${workspace.id} and address_key = ${addresses[1] ?? ''}`,
      )
      await query(`emails/${message?.id}`)
      assert.deepEqual(polled, [])
      await api.run(`delete from recipient; delete from message`)
    },
  )

for (const [language, words] of [
  [
    'en',
    { importing: '1,200 of 5,000 people', rehearsing: '1,200 people', reading: 'Reading the file' },
  ],
  [
    'fr',
    {
      importing: '1 200 sur 5 000 personnes',
      rehearsing: '1 200 personnes',
      reading: 'Lecture du fichier',
    },
  ],
] as const)
  test(
    `${language}: the progress of an import is the share of the file while it is read, then counts subscribers`,
    { skip },
    async (t) => {
      const { page } = await openWorkspace(t, shop, { language, at: 'subscribers/import' })
      await page.locator('input[type="file"]').setInputFiles({
        name: 'people.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('email\nnew@example.com\n'),
      })
      await page.waitForURL(/import\/[0-9a-f-]{36}/)
      const counts = { people: 1_200, new: 1_200, updated: 0, refused: 0, reasons: {} }
      // As it is while a large file is read, which a small one does not show for long.
      let state = 'reading'
      await page.route(/\/imports\/[0-9a-f-]{36}$/, async (route) => {
        const answer = await route.fetch()
        const trial = state === 'importing' ? { ...counts, people: 5_000 } : null
        const shown = state === 'reading' ? { state: 'trying', counts: null } : { state, counts }
        await route.fulfill({
          json: {
            ...Object(await answer.json()),
            ...shown,
            trial,
            size: 9_000_000,
            size_done: 2_000_000,
          },
        })
      })
      await page.reload()
      await page.getByText(words.reading, { exact: true }).waitFor()
      assert.equal(await page.getByRole('progressbar').getAttribute('aria-valuenow'), '22')
      state = 'trying'
      await page.getByText(words.rehearsing, { exact: true }).waitFor()
      state = 'importing'
      await page.getByText(words.importing, { exact: true }).waitFor()
      assert.equal(await page.getByText(/\b[kM][Bo]\b/).count(), 0)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    },
  )
