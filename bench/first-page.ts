/**
 * How soon a browser with an empty cache shows the first page of a workspace: from the navigation
 * to the drawn list of first steps. The yardstick is a page of the same real browser that asks for
 * nothing. On a slow line: how soon it paints.
 */
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { connect } from '../src/database/client/connect.ts'
import { launchBrowser } from '../test/support/browser.ts'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { programFile } from '../test/support/program.ts'
import { startProgram } from './accept/processes.ts'
import { quantile, round } from './pages/figures.ts'
import { signInViewer } from './pages/sign-in-viewer.ts'

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, rounds: { type: 'string', default: '10' } },
})

/** The promised time of the first page, in milliseconds. */
const readyMs = 1_500

const postgres = await startPostgres({ durable: true })
const port = await freePort()
const origin = `http://127.0.0.1:${port}`
const program = await startProgram(
  [programFile, 'start', '--role', 'api'],
  {
    DATABASE_URL: postgres.connectionString,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FACTEUR_PORT: String(port),
  },
  (line) => line.includes('"msg":"ready"'),
)
const db = connect({
  connectionString: postgres.connectionString,
  poolSize: 1,
  statementTimeoutMs: 60_000,
})
const browser = await launchBrowser()

try {
  const bare: number[] = []
  const first: number[] = []
  const painted: number[] = []
  for (let turn = 0; turn < Number(values.rounds); turn++) {
    bare.push(await readyAfter(browser, 'about:blank', 'body', ''))
    first.push(
      await readyAfter(
        browser,
        `${origin}/app/demo/overview`,
        'text="First steps"',
        await signInViewer(db, origin),
      ),
    )
    painted.push(
      await paintedAfter(browser, `${origin}/app/demo/overview`, await signInViewer(db, origin)),
    )
  }
  const p50 = round(quantile(first, 0.5), 0)
  const max = round(Math.max(...first), 0)
  const bareP50 = round(quantile(bare, 0.5), 0)
  const paintP50 = round(quantile(painted, 0.5), 0)
  const verdict = max <= readyMs ? `within ${readyMs} ms` : `OVER ${readyMs} ms`
  console.log(
    values.json
      ? JSON.stringify({
          bench: 'first-page',
          worst: max,
          figures: { readyMs, p50, max, bareP50, paintP50, rounds: first.length },
        })
      : `ready after ${p50} ms (p50), ${max} ms at most, ${verdict}; an empty page takes ${bareP50} ms; first paint on a slow line after ${paintP50} ms (p50)`,
  )
} finally {
  await browser.close()
  await db.end()
  await program.stop()
  await postgres.stop()
}

async function readyAfter(
  within: Browser,
  address: string,
  shown: string,
  cookie: string,
): Promise<number> {
  const context = await within.newContext({ locale: 'en' })
  const [name = '', value = ''] = cookie.split('=')
  if (cookie !== '')
    await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Lax' }])
  const page = await context.newPage()
  const began = performance.now()
  await page.goto(address, { waitUntil: 'commit' })
  await page.locator(shown).first().waitFor({ state: 'attached' })
  const took = performance.now() - began
  await context.close()
  return took
}

/**
 * The first contentful paint of the page, in milliseconds, at 1.6 Mbit/s and a round trip of 150
 * ms.
 */
async function paintedAfter(within: Browser, address: string, cookie: string): Promise<number> {
  const context = await within.newContext({ locale: 'en' })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Lax' }])
  const page = await context.newPage()
  const line = await context.newCDPSession(page)
  const bytesPerSecond = 1_600_000 / 8
  const slow = {
    offline: false,
    latency: 150,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  }
  await line.send('Network.emulateNetworkConditions', slow)
  await page.goto(address, { waitUntil: 'commit' })
  await page.locator('text="First steps"').first().waitFor({ state: 'attached' })
  const took = Number(
    await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime`),
  )
  await context.close()
  return took
}
