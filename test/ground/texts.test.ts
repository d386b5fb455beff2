/**
 * The texts of the service: each language has every text, with the same values, and none is empty
 * or left in English.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recipientLanguages } from '../../src/ground/texts/languages.ts'
import { recipientTexts } from '../../src/ground/texts/recipient-texts.ts'
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

/** Words that a language shares with English, by their path. */
const shared = new Map([
  ['es', ['form.no']],
  ['it', ['form.no']],
])

for (const language of recipientLanguages) {
  const paths = new Map(pathsOf(recipientTexts[language], ''))
  const english = new Map(pathsOf(recipientTexts.en, ''))

  test(`${language}: recipients read every text, with the same values`, () => {
    assert.deepEqual([...paths.keys()], [...english.keys()])
    for (const [path, text] of paths) {
      assert.deepEqual(places(text), places(english.get(path) ?? ''), path)
      assert.notEqual(text.trim(), '', path)
    }
  })

  test(`${language}: no text is left in English, and buttons fit a phone`, () => {
    const same = [...paths].flatMap(([path, text]) =>
      text === english.get(path) && !['mailFooter.link', 'notice.subject'].includes(path)
        ? [path]
        : [],
    )
    if (language !== 'en') assert.deepEqual(same, shared.get(language) ?? [])
    for (const [path, text] of paths)
      if (/[bB]utton$/.test(path)) assert.ok(text.length <= 30, `${path}: ${text}`)
  })
}

test('French has a space before its signs of two parts', () => {
  for (const [path, text] of [...fr, ...pathsOf(recipientTexts.fr, '')])
    assert.doesNotMatch(
      text.replaceAll(
        /https?:|Bearer|Authorization:|Content-Type:|X-Api-Key:|T\d\d:\d\d:\d\dZ/g,
        '',
      ),
      /[^\s«(][?!;:](?:\s|$)/,
      path,
    )
})

test('French recipients read one word for being on the list, and no gender of theirs', () => {
  for (const [path, text] of pathsOf(recipientTexts.fr, ''))
    assert.doesNotMatch(text, /abonn|\(e\)|[êe]tes (?:dés)?inscrit|avez été inscrit/i, path)
})

test('each language of recipients has one apostrophe and one sign of decimals', () => {
  for (const language of recipientLanguages) {
    const all = JSON.stringify(recipientTexts[language])
    assert.ok(!/\p{L}'\p{L}/u.test(all) || !/\p{L}’\p{L}/u.test(all), language)
    assert.ok(all.includes(language === 'en' ? '12.5' : '12,5'), language)
  }
})

test('values are put in as they are, in any form; a missing one leaves its name visible', () => {
  assert.equal(fill('{{a}} and {{b}}', { a: '{{b}} $& <i>', b: 2 }), '{{b}} $& <i> and 2')
  assert.equal(fill('{{c}}', {}), '{{c}}')
})
