/**
 * The reference for readers: whole, readable by programs where it claims to be, and without a dead
 * link.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { apiErrorKinds, errorKinds } from '../../src/contract/errors.ts'
import { apiOperationIds, operations } from '../../src/contract/operations.ts'
import { reference } from '../../src/contract/reference.ts'
import { literal } from '../../src/contract/reference/literal.ts'
import { anchor } from '../../src/contract/reference/markdown.ts'

const baseUrl = 'https://mail.example.com'
const page = reference(baseUrl)
/** The page without what stands in code. */
const prose = page.replaceAll(/^```[\s\S]*?^```/gm, '')
const blocksOf = (language: string): string[] =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, of, text]) =>
    of === language && text !== undefined ? [text] : [],
  )

for (const id of apiOperationIds) {
  test(`${id} is there, with its call, its permission and its refusals`, () => {
    const { method, path, summary, errors } = operations[id]
    const section = page.split(/^### /m).find((text) => text.startsWith(`${summary}\n`)) ?? ''
    assert.ok(section.includes(`\`${method} ${path}\``))
    for (const code of errors)
      assert.ok(section.includes(`${errorKinds[code].status} \`${code}\``), code)
  })
}

test('every code of the table is explained', () => {
  for (const code of Object.keys(apiErrorKinds)) assert.ok(page.includes(`| \`${code}\` |`), code)
})

test('every block of JSON is JSON', () => {
  const blocks = blocksOf('json')
  assert.ok(blocks.length >= apiOperationIds.length)
  for (const block of blocks) JSON.parse(block)
})

test('every link within the page leads to a heading, and nothing was left unfilled', () => {
  const anchors = new Set(
    [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading)),
  )
  for (const [, target = ''] of prose.matchAll(/\]\(#([^)]*)\)/g))
    assert.ok(anchors.has(target), target)
  assert.doesNotMatch(prose, /undefined|\[object|NaN/)
})

test('no two headings have one name', () => {
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading))
  assert.deepEqual(
    headings.filter((heading, index) => headings.indexOf(heading) !== index),
    [],
  )
})

test('values as an author writes them in TypeScript are the values', () => {
  for (const value of [
    { a: "it's", 'b-c': 'say "x"', d: 'both \' and "', e: ['x\\y', '\n', null, true, 1.5, [], {}] },
    { long: Array.from({ length: 40 }, (_, index) => `entry ${index}`) },
  ]) {
    const read: unknown = runInNewContext(`(${literal(value)})`)
    assert.equal(JSON.stringify(read), JSON.stringify(value))
  }
})
