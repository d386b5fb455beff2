/**
 * All pages with a hostile corpus in every field that can hold the text of others: no script runs,
 * the policy of the pages has nothing to report, the console nothing to say, nobody else is asked,
 * axe finds nothing serious, a phone is wide enough, and what is ours in a list is whole beside
 * whatever others wrote. Pages are found by their links, as a person finds them. Frames that show
 * mails are held to the same silence: their policy has nothing to stop.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { liveIn } from '../support/lived-in.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { axe, openWorkspace, phone, settled, turnTo } from '../support/workspace-pages.ts'

/**
 * Leaves attributes, elements, scripts and texts; begins a formula; turns its own direction; never
 * ends. A part that runs writes to the console, in any frame: a frame that may run no script cannot
 * answer whether one ran.
 */
const ran = 'console.error(/ran/)'
const attack = `=1+1"'><img src=http://a.test onerror=${ran}><svg onload=${ran}><script>${ran}</script></textarea></title>\${7*7}\u202e`
const long = `${'W'.repeat(60)} ${attack}`

/** Everything that makes a browser send a request, or report that it may not. */
const asks = [
  '<base href="https://base.example/"><meta http-equiv="refresh" content="1;url=https://refresh.example/"><link rel="stylesheet" href="x.css">',
  '<img src="x"><img src=/o/x srcset="y 2x"><img src=cid:none><img src="data:image/png;base64,@@"><img src="//a.test/x">',
  `<img src="${'/images/'.padEnd(59, 'A')}.png"><input autofocus type=image src=x><form action=x><button>b</button></form>`,
  '<object data=x></object><embed src=x><video src=x poster=y autoplay></video><table background=x></table>',
  `<style>@import "x"; @font-face{font-family:f;src:url(x)} p{font-family:f;background:u\\72l(x)} b{background:image-set("x" 1x)}</style>`,
  `<p style="background:url(cid:x)">p</p><iframe srcdoc="<script>${ran}</script>"></iframe><svg><image href=x /></svg>`,
].join('')

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'en' } })
const workspace = await api.workspace('hostile')

/** Everything that others can word, worded by an enemy. */
const words = {
  workspace: attack.slice(0, 80),
  contacts: [1, 2, 3].map((n) => ({
    email: `person${n}@hostile.example`,
    firstName: attack.slice(0, 120),
    lastName: long.slice(0, 120),
  })),
  // The first is a campaign's too, whose subject changes no direction of text.
  subjects: [attack.replace('\u202e', ''), long, 'bounced', 'complained', 'failed', attack],
  htmlBefore: asks,
  html: `<p>${attack}</p><a href="javascript:${ran}">a</a><a href="https://example.com/?${encodeURIComponent(attack)}">b</a><iframe src="javascript:${ran}"></iframe><img src="https://images.example/x.png" onerror="${ran}"><style>body{background:url(https://images.example/y.png)}</style>`,
  name: attack.slice(0, 70),
  tag: attack.slice(0, 60),
  field: attack.slice(0, 60),
  smtp: `550 5.1.1 ${attack}`,
  hook: `<html><script>${ran}</script>${attack}</html>`,
  userAgent: `Mozilla/5.0 <script>${ran}</script>`,
}

const lists = [
  ...[
    'subscribers',
    'emails',
    'captured',
    'campaigns',
    'webhooks',
    'suppression',
    'subscribers/import',
  ],
  ...['keys', 'requests', 'members', 'senders', 'audit'].map((name) => `settings/${name}`),
]

/** One address of each kind is enough, two of those that differ by what they show. */
const eachMax = 1

test(
  'no page runs the text of others, axe finds nothing serious, and a phone is wide enough',
  { skip },
  async (t) => {
    // Within the test: a failure here is reported, and does not leave the file waiting for its own
    // services.
    const { ids } = await liveIn(api, workspace, 'hostile', words)
    const options = { email: 'crawler@hostile.example' }
    const { page } = await openWorkspace(t, { browser, api, workspace, slug: 'hostile' }, options)
    const known = new Map<string, number>()
    // The campaign that was sent, as the other has less to show; and addresses that no link leads
    // to, or only after a press.
    const first = [
      `campaigns/${ids.sent}/results`,
      `campaigns/${ids.draft}/edit`,
      `emails/${ids.message}`,
    ]
    const unlinked = [
      ...first,
      'settings/audit',
      'settings/requests',
      'webhooks/new',
      ...['new', 'fields', 'topics'].map((name) => `subscribers/${name}`),
      'segments',
    ]
    const result = [...unlinked.map((path) => `/app/hostile/${path}`), ...(await linksOf(page))]
    const problems: string[] = []
    for (let path = result.shift(); path !== undefined; path = result.shift()) {
      const kind = kindOf(path)
      const times = known.get(kind) ?? 0
      if (times >= eachMax) continue
      known.set(kind, times + 1)
      await walkTo(page, path)
      result.push(...(await linksOf(page)))
      problems.push(...(await problemsOf(page, path, times === 0)))
    }
    // French has the longer words.
    const { page: french } = await openWorkspace(
      t,
      { browser, api, workspace, slug: 'hostile' },
      { language: 'fr' },
    )
    for (const path of [
      ...lists,
      `campaigns/${ids.sent}/results`,
      `campaigns/${ids.sent}/delivery`,
      `campaigns/${ids.sent}/recipients`,
      `webhooks/${ids.webhook}`,
    ]) {
      await walkTo(french, `/app/hostile/${path}`)
      problems.push(...(await brokenIn(french, `${path} in French`)))
    }
    assert.deepEqual(problems, [])
    t.diagnostic(
      `${[...known.values()].reduce((sum, count) => sum + count, 0)} pages of ${known.size} kinds: ${[...known.keys()].join(' ')}`,
    )
    assert.deepEqual(
      routes().filter((route) => !known.has(route)),
      [],
      'every page was seen',
    )
  },
)

test(
  'the pages of another workspace do not exist, and none of their requests is answered',
  { skip },
  async (t) => {
    const elsewhere = await api.workspace('elsewhere')
    const { page } = await openWorkspace(
      t,
      { browser, api, workspace: elsewhere, slug: 'elsewhere' },
      { refused: [404] },
    )
    const answered: string[] = []
    page.on('response', (response) => {
      if (!new URL(response.url()).pathname.startsWith('/workspaces/hostile/')) return
      if (response.status() !== 404) answered.push(`${response.status()} ${response.url()}`)
    })
    const missing = page.getByText('Page not found')
    // After a reload, a page may ask before it knows the user's workspaces.
    await page.goto(`${api.baseUrl}/app/hostile/emails`)
    await missing.waitFor()
    for (const route of routes()) {
      await turnTo(
        page,
        `/app/hostile/${route.replaceAll(/\$\w+/g, '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40')}`,
      )
      await page.evaluate(
        `scheduler.postTask(() => scheduler.postTask(() => {}, { priority: 'background' }), { priority: 'background' })`,
      )
      assert.deepEqual(
        [await missing.count(), await page.locator('main h1').count()],
        [1, 0],
        route,
      )
    }
    assert.deepEqual(answered, [])
  },
)

/** Pages of a workspace, as the router has them. */
function routes(): string[] {
  const text = readFileSync(new URL('../../web/src/router.tsx', import.meta.url), 'utf8')
  const pages = text.matchAll(/^ {2}page\(\s*'([^']+)'|=> workspace,\s+path: '(\w+)'/gm)
  return [...pages].flatMap((match) => bothOf(match[1] ?? match[2] ?? ''))
}

/** An optional part of an address is two pages: with it, and without. */
const bothOf = (route: string): string[] =>
  /\/\{-\$\w+\}$/.test(route)
    ? [route.replace(/\/\{-\$\w+\}$/, ''), route.replace(/\{-(\$\w+)\}$/, '$1')]
    : [route]

const patterns = routes()
  .map((route) => ({
    route,
    pattern: new RegExp(`^/app/hostile/${route.replaceAll(/\$\w+/g, '[^/]+')}$`),
  }))
  // Those with a word of their own go before those with any word at its place.
  .toSorted((a, b) => a.route.split('$').length - b.route.split('$').length)

/** The route of an address; what has none is a page of its own, and is looked at too. */
const kindOf = (path: string): string =>
  patterns.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''))?.route ?? path

/**
 * Where the links of a page lead, within the workspace; menus and tabs included, files and other
 * origins not.
 */
async function linksOf(page: Page): Promise<string[]> {
  const links: string[] = await page.evaluate(
    `[...document.querySelectorAll('a[href^="/app/hostile/"]')].map((link) => link.getAttribute('href'))`,
  )
  return [...new Set(links)]
}

async function walkTo(page: Page, path: string): Promise<void> {
  await turnTo(page, path)
  await settled(page)
}

async function problemsOf(page: Page, path: string, isFirst: boolean): Promise<string[]> {
  const problems: string[] = []
  if ((await page.getByRole('alert').filter({ hasText: 'went wrong' }).count()) > 0)
    problems.push(`${path}: the page broke`)
  if (!isFirst) return problems
  await axe(page).catch((error: Error) => problems.push(`${path}: ${error.message}`))
  problems.push(...(await brokenIn(page, path)))
  problems.push(
    ...(await oddLinksIn(page)).map(
      (link) => `${path}: a link of another size than its text: ${link}`,
    ),
  )
  const wide = await whatIsTooWide(page)
  if (wide !== '') problems.push(`${path}: wider than a phone: ${wide}`)
  await page.setViewportSize({ width: 1280, height: 900 })
  return problems
}

/** Links within a text that are larger or smaller than it. */
function oddLinksIn(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('a')]
    .filter(({ parentElement }) => [...parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
    .filter((link) => getComputedStyle(link).fontSize !== getComputedStyle(link.parentElement).fontSize)
    .map((link) => link.parentElement.textContent.slice(0, 80))`)
}

/**
 * Our own words that are broken or cut, from the width of a desk to that of a phone; the page keeps
 * the latter.
 */
async function brokenIn(page: Page, path: string): Promise<string[]> {
  const problems: string[] = []
  for (const width of [1280, 1024, 768, phone.width]) {
    await page.setViewportSize({ width, height: 900 })
    const broken = await whatIsBroken(page)
    if (broken.length > 0) problems.push(`${path} at ${width}: ${broken.join(' | ')}`)
  }
  return problems
}

/**
 * Headers, badges, times and buttons of tables: a word on two lines, a badge or a time on two, any
 * of them cut, a table to be scrolled.
 */
const whatIsBroken = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const ours = 'table :is(th:not([scope=row]), .status:not(.tag), .moment > [aria-hidden], .mantine-Button-root), nav[aria-label]:not([data-crumbs]) a'
    const tops = (range) => new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    const textsOf = (element) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      const found = []
      while (walker.nextNode()) found.push(walker.currentNode)
      return found
    }
    const over = (node, from, to) => {
      const range = document.createRange()
      range.setStart(node, from)
      range.setEnd(node, to)
      return range
    }
    const isBroken = (node) => [...node.data.matchAll(/\\S+/g)].some(({ 0: word, index }) => tops(over(node, index, index + word.length)) > 1)
    const isLong = (element) => !element.matches('th, a') && textsOf(element).some((node) => tops(over(node, 0, node.length)) > 1)
    const isCut = (element) => [element, ...element.querySelectorAll('*')].some((each) => getComputedStyle(each).overflowX !== 'visible' && each.scrollWidth > each.clientWidth + 1)
    const bad = [...document.querySelectorAll(ours)].filter((element) => element.checkVisibility() && (textsOf(element).some(isBroken) || isLong(element) || isCut(element)))
    const scrolled = [...document.querySelectorAll('table[aria-label], main section table')].filter((table) => table.checkVisibility() && table.parentElement.clientWidth > 1 && table.scrollWidth > table.parentElement.clientWidth + 1)
    return [...new Set([...bad.map((element) => element.textContent.slice(0, 40)), ...scrolled.map((table) => 'scrolls: ' + (table.ariaLabel ?? ''))])].slice(0, 5)
  })()`)

/**
 * Elements wider than the screen, once the page has kept its width for three frames. Empty if there
 * is none.
 */
async function whatIsTooWide(page: Page): Promise<string> {
  const fits = await page.evaluate(`(async () => {
    const width = () => document.documentElement.scrollWidth
    for (let last = 0, same = 0; same < 3; await new Promise(requestAnimationFrame)) {
      same = width() === last ? same + 1 : 0
      last = width()
    }
    return width() <= innerWidth
  })()`)
  if (fits) return ''
  // The innermost: elements around them are only stretched.
  return page.evaluate(`[...document.querySelectorAll('main *')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.querySelector('*'))
    .slice(0, 3).map((element) => element.outerHTML.slice(0, 120)).join(' | ') || 'something'`)
}
