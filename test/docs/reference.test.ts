/** The reference for people: whole, readable by programs where it claims to be, and without a dead link. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorKinds } from '../../src/contract/errors.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import { reference } from '../../src/contract/reference.ts'

const baseUrl = 'https://mail.example.com'
const page = reference(baseUrl)
const blocksOf = (language: string): string[] =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, of, text]) => (of === language && text !== undefined ? [text] : []))

for (const id of operationIds) {
  test(`${id} is there, with its call, its permission and its refusals`, () => {
    const { method, path, summary, errors } = operations[id]
    const section = page.split(/^### /m).find((text) => text.startsWith(`${summary}\n`)) ?? ''
    assert.ok(section.includes(`\`${method} ${path}\``))
    for (const code of errors) assert.ok(section.includes(`${errorKinds[code].status} \`${code}\``), code)
  })
}

test('every code of the table is explained', () => {
  for (const code of Object.keys(errorKinds)) assert.ok(page.includes(`| \`${code}\` |`), code)
})

test('every block of JSON is JSON', () => {
  const blocks = blocksOf('json')
  assert.ok(blocks.length >= operationIds.length)
  for (const block of blocks) JSON.parse(block)
})

test('every curl line names the service and sends JSON that can be read', () => {
  const blocks = blocksOf('sh')
  assert.equal(blocks.length, operationIds.length)
  for (const block of blocks) {
    assert.ok(block.includes(`${baseUrl}/api/v1`))
    const [, body] = /-d '(.*)'$/m.exec(block) ?? []
    if (body !== undefined) JSON.parse(body.replaceAll(String.raw`'\''`, "'"))
  }
})

test('every link within the page leads to a heading, and nothing was left unfilled', () => {
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase())
  const anchors = new Set(headings.map((heading) => heading.replaceAll(' ', '-').replace(/[^a-z0-9-]/g, '')))
  for (const [, anchor = ''] of page.matchAll(/\]\(#([^)]*)\)/g)) assert.ok(anchors.has(anchor), anchor)
  assert.doesNotMatch(page, /undefined|\[object|NaN/)
})
