/** The texts of the workspace's pages: the same in both languages, with the same places to fill, and none that a page asks for is missing. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

type Texts = Record<string, string>

/** By area. */
function readTexts(language: 'en' | 'fr'): Map<string, Texts> {
  const areas: Record<string, Texts> = JSON.parse(readFileSync(`web/src/texts/${language}.json`, 'utf8'))
  return new Map(Object.entries(areas))
}

const en = readTexts('en')
const fr = readTexts('fr')

/** Languages differ in how many plurals they have. */
const withoutPlural = (key: string): string => key.replace(/_(?:zero|one|two|few|many|other)$/, '')
const keysOf = (texts: Texts = {}): string[] => [...new Set(Object.keys(texts).map(withoutPlural))].toSorted()

test('French and English have the same areas and the same keys, and none is empty', () => {
  assert.deepEqual([...fr.keys()], [...en.keys()])
  for (const [area, texts] of en) {
    assert.deepEqual(keysOf(fr.get(area)), keysOf(texts), area)
    for (const [key, text] of [...Object.entries(texts), ...Object.entries(fr.get(area) ?? {})])
      assert.ok(text.trim() !== '', `${area}: ${key} is empty`)
  }
})

test('a text has the same places to fill in both languages', () => {
  const placesOf = (text: string): string[] =>
    [...new Set([...text.matchAll(/\{\{\s*-?\s*(\w+)/g)].map((match) => match[1] ?? ''))].toSorted()
  for (const [area, texts] of en)
    for (const [key, text] of Object.entries(texts)) {
      // The singular may say "a mail" for "1 mail".
      if (/_(?:zero|one)$/.test(key)) continue
      const theirs = fr.get(area)?.[key]
      if (theirs !== undefined) assert.deepEqual(placesOf(theirs), placesOf(text), `${area}: ${key}`)
    }
})

test('every text that a page asks for by its name is there', () => {
  const missing = globSync('web/src/**/*.{ts,tsx}').flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    const areas = [...source.matchAll(/useTranslation\('(\w+)'\)/g)].map((match) => match[1] ?? '')
    if (areas.length === 0) return []
    const known = new Set(areas.flatMap((area) => keysOf(en.get(area))))
    const asked = [...source.matchAll(/(?<![\w.])t\('(\w+)'/g)].map((match) => match[1] ?? '')
    return asked.filter((key) => !known.has(withoutPlural(key)) && !known.has(key)).map((key) => `${file}: ${key}`)
  })
  assert.deepEqual(missing, [])
})
