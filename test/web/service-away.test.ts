/**
 * The real program ends and starts again under an open page, or its database goes and comes back:
 * lists come back by themselves.
 */
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { connect } from '../../src/database/client/connect.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { ADMIN_URL } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { startProgram } from '../support/service.ts'
import { until } from '../support/until.ts'
import { openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
/** Holds the database in which users sign in; the pages are the program's. */
const api = await startApi({ workers: false })
const workspace = await api.workspace('shop')
for (const email of ['ada@example.com', 'bob@example.com'])
  assertAnswered(
    await ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: workspace.key,
      body: { email, double_opt_in: false },
    }),
    201,
  )

interface Away {
  baseUrl: string
  go(): Promise<unknown>
  comeBack(): Promise<unknown>
}

async function startOwn(t: TestContext, port: number) {
  const env = {
    DATABASE_URL: api.database.url,
    FACTEUR_PORT: String(port),
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  }
  const program = await startProgram(t, { env })
  await program.saying('Facteur is ready')
  return program
}

/** Stopped as by systemd, and started again on the same port. */
async function restarted(t: TestContext): Promise<Away> {
  const port = await freePort()
  let program = await startOwn(t, port)
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    go: () => (program.signalGroup('SIGTERM'), program.ended),
    comeBack: async () => (program = await startOwn(t, port)),
  }
}

/** The same behind a proxy, which answers 502 while the service is away. */
async function restartedBehindProxy(t: TestContext): Promise<Away> {
  const { baseUrl, ...rest } = await restarted(t)
  const proxy = createServer((requested, answer) => {
    const { method, headers, url = '/' } = requested
    const onward = request(new URL(url, baseUrl), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    onward.on('error', () => answer.writeHead(502).end())
    requested.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  return { baseUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, ...rest }
}

/** The program goes on, while its database takes no connections. */
async function withoutDatabase(t: TestContext): Promise<Away> {
  const port = await freePort()
  const program = await startOwn(t, port)
  const name = new URL(api.database.url.replace('@/', '@local/')).pathname.slice(1)
  const server = connect({ connectionString: process.env[ADMIN_URL] ?? '' })
  t.after(() => server.end())
  const allow = (allowed: boolean): Promise<unknown> =>
    server.rows({
      name: `allow ${allowed}`,
      text: `alter database ${name} allow_connections ${allowed}`,
      values: [],
    })
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async go() {
      await allow(false)
      await server.rows(
        sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`,
      )
      await program.saying('The database does not answer')
    },
    comeBack: () => allow(true),
  }
}

for (const { situation, start, refused } of [
  { situation: 'the program ends and starts again', start: restarted, refused: [0] },
  {
    situation: 'the program starts again behind a proxy',
    start: restartedBehindProxy,
    refused: [502],
  },
  { situation: 'the database goes and comes back', start: withoutDatabase, refused: [503] },
])
  test(
    `${situation}: one bar says so for the whole page, and a list that was open comes back by itself`,
    { skip },
    async (t) => {
      const away = await start(t)
      const shop = { browser, api: { ...api, baseUrl: away.baseUrl }, workspace, slug: 'shop' }
      const { page } = await openWorkspace(t, shop, { at: 'subscribers', refused })
      const bob = page.getByRole('link', { name: 'bob@example.com' })
      await bob.waitFor()

      await away.go()
      await page.getByRole('searchbox', { name: 'Search an address or a name' }).fill('ada')
      await page.getByRole('alert').getByText('The service can’t be reached').waitFor()
      assert.equal(await page.getByRole('alert').count(), 1)
      await away.comeBack()
      await page.getByRole('alert').waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'ada@example.com' }).waitFor()
      // The answer is the one that was asked for while nobody answered.
      await bob.waitFor({ state: 'detached' })
    },
  )

test('the page of the account has the same bar', { skip }, async (t) => {
  const away = await restarted(t)
  const shop = { browser, api: { ...api, baseUrl: away.baseUrl }, workspace, slug: 'shop' }
  const { page } = await openWorkspace(t, shop, { refused: [0] })
  await page.goto(`${away.baseUrl}/app/account`)
  await page.getByRole('heading', { level: 1 }).waitFor()

  await away.go()
  const bar = page.getByRole('alert').getByText('The service can’t be reached')
  // A page in sight reads again what is older than some seconds.
  await until(async () => {
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    return (await bar.count()) === 1
  })
  await away.comeBack()
  await bar.waitFor({ state: 'detached' })
})
