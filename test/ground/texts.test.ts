/**
 * The texts of the service: both languages have every text, with the same values, and none is
 * empty.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fill, texts } from '../../src/ground/texts/texts.ts'

/** Each text by its path: `form.problem.length`. */
function pathsOf(part: unknown, path: string): [path: string, text: string][] {
  if (typeof part === 'string') return [[path, part]]
  assert.ok(typeof part === 'object' && part !== null, path)
  return Object.entries(part).flatMap(([name, inner]) =>
    pathsOf(inner, path === '' ? name : `${path}.${name}`),
  )
}

const places = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([location]) => location).toSorted()

const fr = new Map(pathsOf(texts.fr, ''))
const en = new Map(pathsOf(texts.en, ''))

test('French and English have the same texts, in the same order', () => {
  assert.deepEqual([...fr.keys()], [...en.keys()])
  assert.ok(fr.size > 200)
})

test('both languages put the same values into a text', () => {
  for (const [path, text] of fr) assert.deepEqual(places(text), places(en.get(path) ?? ''), path)
})

test('every text says something; what French alone says, it says by itself', () => {
  // The page around the reference says only in French that the reference is in English.
  const silent = [...fr, ...en].filter(([, text]) => text.trim() === '').map(([path]) => path)
  assert.deepEqual(silent, ['docsPage.language'])
})

test('French has a space before its signs of two parts', () => {
  for (const [path, text] of fr)
    assert.doesNotMatch(
      text.replaceAll(
        /https?:|Bearer|Authorization:|Content-Type:|X-Api-Key:|T\d\d:\d\d:\d\dZ/g,
        '',
      ),
      /[^\s«(][?!;:](?:\s|$)/,
      path,
    )
})

test('values are put in as they are, in any form; a missing one leaves its name visible', () => {
  assert.equal(fill('{{a}} and {{b}}', { a: '{{b}} $& <i>', b: 2 }), '{{b}} $& <i> and 2')
  assert.equal(fill('{{c}}', {}), '{{c}}')
})
