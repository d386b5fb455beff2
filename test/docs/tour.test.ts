/**
 * The tour: every page of the workspace, light and dark, photographed in a workspace in which
 * something of everything has happened. `UPDATE_IMAGES=1 npm test -- test/docs/tour.test.ts` takes
 * the pictures again and writes docs/tour.md; without it, the document is held to the pages that
 * there are.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { makeUserLink } from '../../src/core/identity/user-link.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi, type Api, type TestWorkspace } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { liveIn } from '../support/lived-in.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { stops, tourText, wordsOfTour } from '../support/tour-stops.ts'
import { openWorkspace, settled } from '../support/workspace-pages.ts'

const root = join(import.meta.dirname, '..', '..')
const images = join(root, 'docs', 'images', 'tour')
const document = join(root, 'docs', 'tour.md')
const takesPictures = process.env['UPDATE_IMAGES'] === '1'

/**
 * Before the first test: the runner closes what is opened once the tests that it knows have ended.
 */
async function openStudio() {
  const { browser } = await startBrowser()
  const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'en' } })
  const workspace = await api.workspace('paper-shop', { monthlyQuota: 50_000 })
  const { ids, owner } = await liveIn(api, workspace, 'paper-shop', wordsOfTour)
  await livePast(api, workspace)
  mkdirSync(images, { recursive: true })
  return { browser, api, workspace, ids, owner }
}
const studio = takesPictures ? await openStudio() : null

test('the tour shows every page of the router, light and dark', () => {
  const router = readFileSync(join(root, 'web', 'src', 'router.tsx'), 'utf8')
  const pages = /\b(?:path: |(?:page|accountPage)\(\s*)'([^']+)'/g
  const routes = [...router.matchAll(pages)].map((match) => match[1] ?? '')
  assert.ok(routes.length > 50, 'they are found')
  const others = new Set(['/', '$slug', 'campaigns/$id'])
  assert.deepEqual(
    routes.filter((route) => !others.has(route) && !stops.some((stop) => stop.route === route)),
    [],
  )
  if (takesPictures) writeFileSync(document, tourText())
  assert.equal(readFileSync(document, 'utf8'), tourText(), 'UPDATE_IMAGES=1 writes it again')
})

for (const scheme of ['light', 'dark'] as const) {
  test(`every picture is there: ${scheme}`, { skip: takesPictures }, () => {
    const missing = stops.filter(({ name }) => !existsSync(join(images, `${name}-${scheme}.png`)))
    assert.deepEqual(missing, [])
  })
}

if (studio !== null) {
  const { browser, api, workspace, ids, owner } = studio
  for (const scheme of ['light', 'dark'] as const) {
    test(`pictures are taken: ${scheme}`, async (t) => {
      const options = {
        dark: scheme === 'dark',
        viewport: { width: 1280, height: 800 },
        email: `${scheme}@example.com`,
      }
      const { page } = await openWorkspace(
        t,
        { browser, api, workspace, slug: 'paper-shop' },
        options,
      )
      page.setDefaultTimeout(15_000)
      for (const { name, route, at, signedOut } of stops) {
        if (signedOut) await page.context().clearCookies()
        const path = await addressOf(page, route, at ? at(ids) : route)
        await page.goto(`${api.baseUrl}/app/${path}`)
        await settled(page)
        // Parts of the program that load later replace their skeletons.
        await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
        // A mail in a frame is there when its words are.
        for (const frame of page.frames().slice(1))
          await frame.locator('body *').first().waitFor({ state: 'attached' })
        await page.evaluate(
          'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
        )
        await page.screenshot({ path: join(images, `${name}-${scheme}.png`) })
      }
    })
  }

  /** Where a page is; one of a thing that only its list knows is asked of the list's first link. */
  async function addressOf(page: Page, route: string, path: string): Promise<string> {
    if (/^(?:sign-in|reset|account|new-workspace)$/.test(route)) return route
    if (/^(?:set-up|invitation|reset)\//.test(route))
      return `${route.split('/')[0]}/${await tokenOf(api, { id: owner.userId }, workspace.id, route)}`
    const [, list, pattern] = /^(?:first of (\S+)|here) (\S+)$/.exec(path) ?? []
    if (pattern === undefined) return `paper-shop/${path}`
    if (list !== undefined) await page.goto(`${api.baseUrl}/app/paper-shop/${list}`)
    const link = page.locator(`a[href*="/app/paper-shop/${pattern}"]`).first()
    return ((await link.getAttribute('href')) ?? '').replace('/app/', '')
  }
}

/** The token of a link that works once, for the page that it opens. */
async function tokenOf(
  api: Api,
  owner: { id: string },
  workspaceId: number,
  route: string,
): Promise<string> {
  const { service } = api
  const invited = { workspaceId, role: 'editor', email: 'grace@example.com' } as const
  const link = route.startsWith('set-up')
    ? { purpose: 'set_up' as const }
    : route.startsWith('reset')
      ? { purpose: 'reset' as const, userId: owner.id }
      : { purpose: 'invitation' as const, ...invited }
  const { url } = await makeUserLink(service, service.db, link)
  return url.split('/').at(-1) ?? ''
}

/** A month of mail behind it. */
async function livePast({ service }: Api, workspace: TestWorkspace): Promise<void> {
  await service.db.count(sql`
    insert into mail_day (workspace_id, day, delivered, bounced, complained, failed, waiting, sent, opened,
      opened_by_relay, clicked, opens_tracked, clicks_tracked, counted_at)
    select ${workspace.id}, (facteur_now() at time zone 'utc')::date - n, 400 + (n * 137) % 300, (n * 7) % 19, n % 9 / 8, n % 5, 0,
      400 + (n * 137) % 300 + (n * 7) % 19, 210 + (n * 53) % 90, 40 + n % 11, 60 + (n * 17) % 40,
      400 + (n * 137) % 300, 400 + (n * 137) % 300, facteur_now() + interval '1 day' from generate_series(1, 59) n
    on conflict (workspace_id, day) do nothing`)
  await workspace.setReputation({ handOffs: 14_240, bounces: 212, complaints: 6 })
}
