/**
 * How the pages of the workspace are served: one page for every address, under a strict policy;
 * files that no browser asks for twice.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { startApi } from '../support/api.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'

const api = await startApi({ entry: operatorEntryPoints(), workers: false })

/** As it comes, without the decoding that `fetch` does. */
async function get(path: string, headers: Record<string, string> = {}) {
  const {
    statusCode,
    headers: answered,
    body,
  } = await request(`${api.baseUrl}${path}`, { headers })
  return { status: statusCode, headers: answered, body: Buffer.from(await body.arrayBuffer()) }
}

test('302: the root leads to the workspace', async () => {
  const { status, headers } = await get('/')
  assert.deepEqual([status, headers['location']], [302, '/app'])
})

test('200: every address below /app answers the page; its policy lets in our files alone, and styles by a nonce of this answer', async () => {
  const first = await get('/app/shop/emails/123?status=sent')
  const again = await get('/app')
  const policy = String(first.headers['content-security-policy'])
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
  assert.equal(first.status, 200)
  assert.ok(nonce.length >= 22 && first.body.includes(`nonce="${nonce}"`), policy)
  assert.notEqual(again.headers['content-security-policy'], policy, 'a nonce is of one answer')
  assert.doesNotMatch(policy, /unsafe|\*|https:/)
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "connect-src 'self'",
  ])
    assert.ok(policy.split('; ').includes(part), part)
  assert.equal(first.headers['cache-control'], 'no-store')
  assert.equal(first.headers['x-content-type-options'], 'nosniff')
  assert.doesNotMatch(
    first.body.toString(),
    /<script(?![^>]* src=)|\son\w+=|\sstyle=/,
    'no script stands inline',
  )
  const styles = [...first.body.toString().matchAll(/<style[^>]*>/g)].map(([tag]) => tag)
  assert.deepEqual(
    styles,
    [`<style nonce="${nonce}">`],
    "the shell's alone, by the nonce of this answer",
  )
})

test('200: files are cached for ever under names that change with them, and come compressed', async () => {
  const page = (await get('/app')).body.toString()
  const script = /src="(\/app\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ''
  const plain = await get(script, { 'accept-encoding': 'identity' })
  const brotli = await get(script, { 'accept-encoding': 'gzip, deflate, br' })
  const gzip = await get(script, { 'accept-encoding': 'gzip, br;q=0' })
  assert.match(script, /-[\w-]{8}\.js$/)
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(brotli.headers['content-encoding'], 'br')
  assert.equal(gzip.headers['content-encoding'], 'gzip')
  assert.deepEqual(brotliDecompressSync(brotli.body), plain.body)
  assert.deepEqual(gunzipSync(gzip.body), plain.body)
  for (const { headers } of [plain, brotli, gzip]) {
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(headers['vary'], 'Accept-Encoding')
    assert.equal(headers['x-content-type-options'], 'nosniff')
  }
})

test('404: a file of a former build, and any path outside of the built ones', async () => {
  for (const path of [
    '/app/assets/index-00000000.js',
    '/app/assets/..%2Findex.html',
    '/app/assets/built-from',
  ])
    assert.equal((await get(path)).status, 404, path)
})

const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

test('404: a browser at an address that nothing has gets a page, in its language; it is in no cache and runs nothing', async () => {
  for (const [language, title] of [
    ['en', 'Page not found'],
    ['fr', 'Page introuvable'],
  ] as const) {
    const page = await get('/no/such-page?x=1', { ...asBrowser, 'accept-language': language })
    assert.equal(page.status, 404)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    assert.match(page.body.toString(), new RegExp(`<html lang="${language}">[^]*<h1>${title}</h1>`))
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'/)
    assert.deepEqual(
      [page.headers['cache-control'], page.headers['vary']],
      ['no-store', 'Accept-Language, Accept'],
    )
    assert.ok(page.headers['x-request-id'])
  }
})

test('404: programs get the error as before, and so does a browser where programs call', async () => {
  const requested = [
    ['/no/such-page', { accept: '*/*' }],
    ['/no/such-page', { accept: 'application/json' }],
    ['/api/v1/no-such-operation', asBrowser],
    ['/workspaces/shop/api/v1/no-such-operation', asBrowser],
    ['/people/api/v1/no-such-operation', asBrowser],
  ] as const
  for (const [path, headers] of requested) {
    const { status, headers: answered, body } = await get(path, headers)
    assert.equal(status, 404, path)
    assert.match(String(answered['content-type']), /^application\/json/, path)
    assert.equal(JSON.parse(body.toString()).error.code, 'not_found')
  }
  const posted = await request(`${api.baseUrl}/no/such-page`, {
    method: 'POST',
    headers: asBrowser,
  })
  assert.match(String(posted.headers['content-type']), /^application\/json/)
  await posted.body.dump()
})
