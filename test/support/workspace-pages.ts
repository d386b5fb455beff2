/**
 * The pages of a workspace in a real browser, signed in; a test fails on any report of the console
 * or the policy, and on any request to another origin.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core'
import type { Role } from '../../src/contract/roles.ts'
import type { Api, TestWorkspace } from './api.ts'
import { openContext } from './browser.ts'
import { signIn } from './sign-in.ts'
import { until } from './until.ts'

export interface PagesOptions {
  /** Default: owner. */
  role?: Role
  language?: 'en' | 'fr'
  viewport?: { width: number; height: number }
  /** A phone: fingers, and its own way of fitting a page to the screen. */
  touch?: boolean
  dark?: boolean
  /** Below the workspace. Default: `overview`. */
  at?: string
  email?: string
  /** The user has none unless it is said. */
  password?: string
  /** Said to the service; the name of an automatic browser counts as no open. */
  userAgent?: string
  /**
   * Statuses of refusals that the test provokes, which the console reports too; 0 is a service that
   * is away. Default: none.
   */
  refused?: readonly number[]
}

export interface OpenedPages {
  page: Page
  context: BrowserContext
  /** Loads a page of the workspace, such as `settings/keys`. */
  goto(path: string): Promise<void>
  /** The same without a load, for a page whose route and data the program has not shown yet. */
  turn(path: string): Promise<void>
  /** Requests that the user may send by hand. */
  cookie: string
}

export const phone = { width: 360, height: 740 }

/**
 * Opens a page of a workspace as a signed-in user; ends with the test. `slug`: of the workspace, as
 * its address has it.
 */
export async function openWorkspace(
  t: TestContext,
  {
    browser,
    api,
    workspace,
    slug,
  }: { browser: Browser | null; api: Api; workspace: TestWorkspace; slug: string },
  options: PagesOptions = {},
): Promise<OpenedPages> {
  const { role = 'owner', at = 'overview' } = options
  const visitor = await signIn(api, {
    in: { [workspace.id]: role },
    ...(options.email !== undefined && { email: options.email }),
    ...(options.password !== undefined && { password: options.password }),
  })
  const { page, context } = await openStranger(t, { browser, api }, options)
  const [name = '', value = ''] = visitor.cookie.split('=')
  await context.addCookies([{ name, value, url: api.baseUrl, httpOnly: true, sameSite: 'Lax' }])
  const goto = async (path: string): Promise<void> => {
    await page.goto(`${api.baseUrl}/app/${slug}/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  const turn = async (path: string): Promise<void> => {
    await turnTo(page, `/app/${slug}/${path}`)
    await settled(page)
  }
  await goto(at)
  return { page, context, goto, turn, cookie: visitor.cookie }
}

/**
 * A blank page without a session; ends with the test. `origin`: where the service is reached, by
 * default `api.baseUrl`.
 */
export async function openStranger(
  t: TestContext,
  { browser, api, origin = api.baseUrl }: { browser: Browser | null; api: Api; origin?: string },
  options: Pick<
    PagesOptions,
    'language' | 'viewport' | 'touch' | 'dark' | 'refused' | 'userAgent'
  > = {},
): Promise<{ page: Page; context: BrowserContext }> {
  const {
    language = 'en',
    viewport = { width: 1280, height: 900 },
    touch = false,
    dark = false,
    refused = [],
    userAgent,
  } = options
  const heard: string[] = []
  const profile: BrowserContextOptions = {
    ...{ viewport, locale: language === 'fr' ? 'fr-FR' : 'en-GB', timezoneId: 'Europe/Paris' },
    ...(userAgent !== undefined && { userAgent }),
    ...{ hasTouch: touch, isMobile: touch },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  }
  const context = await openContext(t, browser, profile, () =>
    assert.deepEqual(heard, [], 'what the pages should not have said or asked'),
  )
  const page = await context.newPage()
  countAsked(page)
  listen(page, heard, { origin, refused })
  return { page, context }
}

/** The requests of each page that have no answer yet. */
const requested = new WeakMap<Page, Set<Request>>()

function countAsked(page: Page): void {
  const open = new Set<Request>()
  requested.set(page, open)
  page.on('request', (request) => open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
}

/**
 * Goes to another address of the pages as the browser's own buttons do it, which is quicker than a
 * load. The heading stays until the next page is there, so it gets a mark, and `settled` waits for
 * a heading without one.
 */
export async function turnTo(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `for (const each of document.querySelectorAll('h1, [role="alert"]')) each.dataset.left = ''
    history.pushState(null, '', ${JSON.stringify(path)})
    window.dispatchEvent(new PopStateEvent('popstate'))`,
  )
}

/**
 * Waits until a page is read and drawn and asks for nothing any more: three looks in a row. A look
 * runs when all else that the page had to do is done (`requestIdleCallback` waits for frames, which
 * are slow without a screen), and so sees what an answer led to.
 */
export async function settled(page: Page): Promise<void> {
  const isDrawn = `document.querySelector(':is(h1, [role="alert"]):not([data-left])') && !document.querySelector('[aria-busy="true"], .mantine-Loader-root')`
  let polls = 0
  const query = async () => {
    const drawn = await page.evaluate(
      `scheduler.postTask(() => Boolean(${isDrawn}), { priority: 'background' })`,
    )
    const open = [...(requested.get(page) ?? [])].map((request) => request.url())
    polls = drawn && open.length === 0 ? polls + 1 : 0
    return { address: page.url(), drawn, open, isQuiet: polls === 3 }
  }
  await until(query, ({ isQuiet }) => isQuiet)
}

interface Expected {
  origin: string
  refused: readonly number[]
}

/** The console's report of a call that was refused or unanswered. */
const failedPattern =
  /Failed to load resource: (?:the server responded with a status of (\d+)|(net::ERR_(?:CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)))/

/**
 * Console, errors, reports of the policy (which the console prints), and requests to other origins,
 * by pages and by their frames.
 */
function listen(page: Page, heard: string[], { origin, refused }: Expected): void {
  page.on('console', (message) => {
    const [, status, failure] = failedPattern.exec(message.text()) ?? []
    if (refused.includes(failure === undefined ? Number(status) : 0)) return
    if (message.type() === 'error' || message.type() === 'warning')
      heard.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => heard.push(`error: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, origin: to } = new URL(request.url())
    if (/^https?:$/.test(protocol) && to !== origin) heard.push(`request: ${request.url()}`)
  })
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

interface Finding {
  id: string
  impact: string | null
  help: string
  nodes: { html: string; failureSummary?: string }[]
}

/**
 * Fails on what axe holds for serious or critical (WCAG 2.2 A and AA). A frame is checked as an
 * element, without its content.
 */
export async function axe(page: Page): Promise<void> {
  // The policy of the pages admits only their scripts; it does not cover a script that the test
  // gives the browser.
  if (await page.evaluate('!window.axe')) await page.evaluate(`${axeSource}; undefined`)
  const result = (await page.evaluate(
    `axe.run(document, { iframes: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] }).then((result) => result.violations)`,
  )) as Finding[]
  const bad = result.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  assert.deepEqual(
    bad.map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n${nodes.map((node) => `${node.html}\n${node.failureSummary ?? ''}`).join('\n')}`,
    ),
    [],
  )
}
