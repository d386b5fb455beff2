/**
 * docs/testing.md: its Playwright test is taken out of the page and signs a visitor up, in a real
 * browser, to a product that sends its code through the service.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { text as readText } from 'node:stream/consumers'
import { request as requests, type APIRequestContext, type Page } from 'playwright-core'
import { startApi } from '../support/api.ts'
import { ask } from '../support/ask.ts'
import { openContext, startBrowser } from '../support/browser.ts'
import { here } from '../support/service.ts'

const { browser, skip } = await startBrowser()
const api = await startApi()
const demo = await api.workspace('demo')

/** The product that is tested: it asks for an address, mails a code, and asks for that. */
const codes = new Map<string, string>()
const product = createServer((request, response) => {
  const answer = (html: string): void =>
    void response.setHeader('content-type', 'text/html; charset=utf-8').end(html)
  const read = async (): Promise<string> => {
    if (request.method === 'GET')
      return '<form method="post"><label>E-mail <input name="email"></label><button>Sign up</button></form>'
    const form = new URLSearchParams(await readText(request))
    const code = form.get('code')
    if (code !== null) return codes.get(code) === undefined ? 'No' : '<h1>Welcome</h1>'
    const created = String(randomInt(100_000, 999_999))
    const to = form.get('email') ?? ''
    codes.set(created, to)
    const body = {
      from: 'hello@demo.test',
      to,
      subject: 'Sign up',
      text: `Your code is ${created}.`,
    }
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: demo.key, body })
    // It goes on by itself once six digits are typed.
    return '<form method="post"><label>Code <input name="code" pattern="[0-9]{6}" oninput="this.validity.valid && this.value && this.form.submit()"></label></form>'
  }
  void read().then(answer)
})
await new Promise<void>((listening) => product.listen(0, '127.0.0.1', listening))
after(() => product.close())

type Body = (fixtures: { page: Page; request: APIRequestContext }) => Promise<void>

test('the Playwright test of the page signs a visitor up', { skip }, async (t) => {
  const page = readFileSync(join(here, 'docs/testing.md'), 'utf8')
  const [, snippet = ''] = /^```js\n([^]*?)^```$/m.exec(page) ?? []
  const [head, ...rest] = snippet.split('\n')
  assert.equal(head, "import { test } from '@playwright/test'")
  const body = /^test\([^]*?^\}\)/m.exec(snippet)?.[0] ?? ''
  assert.equal(body.split('\n').slice(2, -1).length, 5, 'five lines behind the address')

  const baseURL = `http://127.0.0.1:${(product.address() as AddressInfo).port}`
  const context = await openContext(t, browser, { baseURL })
  const request = await requests.newContext()
  t.after(() => request.dispose())
  const fixtures = { page: await context.newPage(), request }
  const played: Promise<void>[] = []
  const env = {
    FACTEUR_URL: api.baseUrl,
    FACTEUR_KEY: await demo.makeKey(['captured:read']),
  }
  // The snippet is ours, and runs as it stands below its import.
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
  const play = new Function('test', 'process', rest.join('\n'))
  play((_title: string, run: Body) => void played.push(run(fixtures)), { env })
  assert.equal(played.length, 1)
  await Promise.all(played)
  assert.equal(codes.size, 1)
})
