/**
 * A captured mail is looked at in a real browser: it counts nothing, and its links are beside it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { axe, openWorkspace, settled } from '../support/workspace-pages.ts'
import { until } from '../support/until.ts'

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
  'a captured mail is looked at, pictures and all, and no open or click comes of it; its links are followed beside it',
  { skip },
  async (t) => {
    // Its pages are ours: nothing leaves this machine.
    const html = `<p>News for <b>you</b></p><a href="${api.baseUrl}/docs">Read on</a><a href="javascript:alert(1)">Run</a>`
    const id = await mail({
      to: 'reader@example.com',
      subject: 'Tracked',
      html,
      track_opens: true,
      track_clicks: true,
    })
    await untilFound(
      sql`select 1 from captured_mail where workspace_id = ${workspace.id} and recipient = 'reader@example.com'`,
    )
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const { page, context, goto } = await openWorkspace(t, shop, { at: 'captured', userAgent })
    const requests = async (): Promise<string[]> =>
      (
        await api.service.db.rows<{ kind: string }>(sql`
          select kind from engagement where workspace_id = ${workspace.id} and message_id = ${id} order by at`)
      ).map(({ kind }) => kind)
    await page.getByRole('link', { name: 'reader@example.com' }).click()
    const frame = page.frameLocator('iframe')
    for (const pictures of [false, true]) {
      await page.getByRole('switch', { name: 'Show remote images' }).setChecked(pictures)
      await settled(page)
      await frame.getByText('News for you').waitFor()
      for (const link of ['Read on', 'Run']) await frame.getByText(link).click()
    }
    await settled(page)
    await page.getByRole('tab', { name: 'Links' }).click()
    const links = page.getByRole('region', { name: 'Links' })
    await links.getByText(`${api.baseUrl}/docs`).waitFor()
    assert.equal(await links.getByRole('link').count(), 1)
    await axe(page)
    await goto(`emails/${id}`)
    await frame.getByText('News for you').waitFor()
    await frame.getByText('Read on').click()
    await settled(page)
    assert.deepEqual(await requests(), [])
    await page.goBack()
    await page.getByRole('tab', { name: 'Links' }).click()
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      links.getByRole('link', { name: 'Read on' }).click(),
    ])
    await opened.waitForURL(`${api.baseUrl}/docs`)
    assert.deepEqual(await requests(), ['click'], 'that was on purpose')
  },
)
