/**
 * The reference as it is served: a page for readers, texts for agents, all of one source, and
 * nothing from elsewhere.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, serialize } from 'parse5'
import { apiOperationIds, operations } from '../../src/contract/operations.ts'
import { reference } from '../../src/contract/reference.ts'
import { guides, standAlone } from '../../src/contract/reference/guides.ts'
import { renderMarkdown } from '../../src/entrypoints/pages/docs/render-markdown.ts'
import { startApi } from '../support/api.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'

const api = await startApi({ entry: operatorEntryPoints() })

const get = (path: string, language?: string): Promise<Response> =>
  fetch(api.baseUrl + path, {
    headers: language === undefined ? {} : { 'accept-language': language },
  })
const textOf = async (path: string): Promise<string> => (await get(path)).text()

test('/docs: a page in French, or in English on request; the reference itself is marked as English', async () => {
  const french = await get('/docs')
  assert.equal(french.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(french.headers.get('content-language'), 'fr')
  assert.match(await french.text(), /<html lang="fr">[\s\S]*Clé d&#39;API[\s\S]*<div lang="en">/)
  const english = await get('/docs', 'en')
  assert.match(await english.text(), /<html lang="en">[\s\S]*API key/)
})

test('/docs and its texts are compressed for callers that take it, the same for all others', async () => {
  for (const path of ['/docs', '/docs/api.md', '/llms-full.txt']) {
    const [plain, small] = await Promise.all(
      ['identity', 'gzip'].map((coding) =>
        fetch(api.baseUrl + path, { headers: { 'accept-encoding': coding } }),
      ),
    )
    assert.deepEqual(
      [plain?.headers.get('content-encoding'), small?.headers.get('content-encoding')],
      [null, 'gzip'],
      path,
    )
    assert.match(small?.headers.get('vary') ?? '', /Accept-Encoding/)
    assert.ok(
      Number(small?.headers.get('content-length')) <
        Number(plain?.headers.get('content-length')) / 3,
      path,
    )
    assert.equal(await small?.text(), await plain?.text())
  }
})

test('/docs runs our own script only, without a word of script or style within the page', async () => {
  const answer = await get('/docs')
  const policy = answer.headers.get('content-security-policy') ?? ''
  assert.match(
    policy,
    /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';/,
  )
  assert.doesNotMatch(policy, /unsafe|http|\*/)
  const page = await answer.text()
  assert.doesNotMatch(page, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/)
  const fetched = [...page.matchAll(/(?:src|<link[^>]*href)="([^"]*)"/g)].map(
    ([, address = '']) => address,
  )
  assert.deepEqual(
    fetched.filter((address) => !address.startsWith('/docs/')),
    [],
  )
  for (const address of fetched) assert.equal((await get(address)).status, 200, address)
})

test('/docs is sound HTML, with a form for each operation and no identifier twice', async () => {
  const page = await textOf('/docs')
  const errors: string[] = []
  const tree = parse(page, {
    onParseError: ({ code }) => errors.push(code),
    sourceCodeLocationInfo: true,
  })
  assert.deepEqual(errors, [])
  const markup = serialize(tree)
  const forms = [...markup.matchAll(/data-method="(\w+)" data-path="([^"]+)"/g)].map(
    ([, method, path]) => `${method} ${path}`,
  )
  assert.deepEqual(
    forms.toSorted(),
    apiOperationIds.map((id) => `${operations[id].method} ${operations[id].path}`).toSorted(),
  )
  const ids = [...markup.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  )
  for (const [, target = ''] of markup.matchAll(/href="#([^"]+)"/g))
    assert.ok(ids.includes(target), target)
})

test('all that the text says, the page says: each example, each table, each heading', async () => {
  const page = await textOf('/docs')
  const shown = page
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&#(\d+);/g, (_, point: string) => String.fromCodePoint(Number(point)))
    .replaceAll(/\s+/g, '')
  const text = reference(api.baseUrl)
  for (const [, code = ''] of text.matchAll(/^```\w+\n(.*?)^```$/gms))
    assert.ok(shown.includes(code.replaceAll(/\s+/g, '')), code)
  for (const line of text.replaceAll(/^```.*?^```$/gms, '').split('\n')) {
    for (const part of line
      .replace(/^(\* |\d+\. )/, '')
      .split(/(?<!\\)\||[`*#[\]]|\]\([^)]*\)|<[^>]*>|\((?:#|http)[^)]*\)/)) {
      const words = part.replaceAll(String.raw`\|`, '|').replaceAll(/\s+/g, '')
      if (/^[-\d.]*$/.test(words)) continue
      assert.ok(shown.includes(words), `${part}\n${line}`)
    }
  }
})

test('browsers take each answer for its type alone, and no address leaks to others', async () => {
  for (const path of [
    '/docs',
    '/docs/api.md',
    '/llms.txt',
    '/llms-full.txt',
    '/docs/style.css',
    '/docs/try.js',
    '/docs/icon.svg',
  ])
    assert.equal((await get(path)).headers.get('x-content-type-options'), 'nosniff', path)
  assert.equal((await get('/docs')).headers.get('referrer-policy'), 'same-origin')
})

test('the texts: one source, as Markdown and as plain text, for every caller, pages of others too', async () => {
  const whole = reference(api.baseUrl)
  for (const [path, type, expected] of [
    ['/llms-full.txt', 'text/plain', whole],
    ['/docs/api.md', 'text/markdown', whole],
    ...guides(api.baseUrl).map(
      (guide) => [`/docs/${guide.file}`, 'text/markdown', standAlone(guide)] as const,
    ),
  ] as const) {
    const answer = await get(path)
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type')],
      [200, `${type}; charset=utf-8`],
      path,
    )
    assert.equal(answer.headers.get('access-control-allow-origin'), '*', path)
    assert.equal(await answer.text(), expected, path)
  }
})

test('/llms.txt: a title, a summary, then sections of links, each of which leads somewhere', async () => {
  const text = await textOf('/llms.txt')
  const [head = '', ...sections] = text.split(/^## .*\n/m)
  assert.match(head, /^# Facteur\n\n> \S/)
  assert.ok(sections.length >= 5)
  for (const section of sections) {
    for (const line of section.trim().split('\n'))
      assert.match(line, /^- \[[^\]]+\]\(https?:[^)]+\): \S/)
  }
  const targets = new Set([...text.matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => target))
  for (const target of targets) {
    assert.ok(target.startsWith(`${api.baseUrl}/`), target)
    assert.equal((await fetch(target)).status, 200, target)
  }
})

test('the map of the API leads to the page', async () => {
  const { documentation }: { documentation: string } = JSON.parse(await textOf('/api/v1'))
  assert.match((await fetch(documentation)).headers.get('content-type') ?? '', /^text\/html/)
})

test('requests are counted by address, like calls', async () => {
  for (const path of ['/docs', '/llms.txt']) {
    const remaining: number[] = []
    for (let n = 0; n < 2; n++)
      remaining.push(Number((await get(path)).headers.get('x-ratelimit-remaining') ?? 'NaN'))
    assert.equal((remaining[0] ?? 0) - (remaining[1] ?? 0), 1, path)
  }
})

test('forms of Markdown: what stands for itself is escaped, bars in cells, code before everything', () => {
  const [section] = renderMarkdown(
    'a <b> `x|*y*` **strong** [l `c`](#t)\n\n| A | B |\n| --- | --- |\n| `a \\| b` | <i> |\n\n* one\n  more\n* two',
  )
  const markup = (section?.content ?? [])
    .map((part) => part.markup)
    .join('')
    .replaceAll(/\s+/g, ' ')
  assert.ok(
    markup.includes(
      'a &#60;b&#62; <code>x|*y*</code> <strong>strong</strong> <a href="#t">l <code>c</code></a>',
    ),
    markup,
  )
  assert.ok(markup.includes('<td><code>a | b</code></td><td>&#60;i&#62;</td>'), markup)
  assert.ok(markup.includes('<li>one more</li><li>two</li>'), markup)
})
