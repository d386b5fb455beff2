/** The texts of the workspace's pages: the same in both languages, with the same places to fill, and none that a page asks for is missing. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { operationIds } from '../../src/contract/operations.ts'

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

test('every reason that a verb refuses for has words that say how to mend it, some by what was asked for', () => {
  const reasons = globSync('src/{core,entrypoints/api}/**/*.ts').flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    const thrown = source.matchAll(/ApiError\(\s*'(?:conflict|validation_error|internal_error)',\s*\{[^}]*?\breason: '(\w+)'/g)
    const told = source.matchAll(/\brefusal\('(\w+)'/g)
    return [...thrown, ...told].map((match) => match[1] ?? '')
  })
  assert.ok(new Set(reasons).size > 25, 'they are found')
  const known = new Set(Object.keys(en.get('shell') ?? {}))
  // What a file of separated values breaks is said, with its line, where the file is dropped.
  assert.deepEqual(
    [...new Set(reasons)].filter((reason) => !known.has(`why_${reason}`) && !reason.startsWith('csv_')),
    [],
  )
  const contexts = [...known].flatMap((key) => /^why_[a-z_]+_([a-z]+[A-Z]\w*)$/.exec(key)?.[1] ?? [])
  assert.ok(contexts.length > 3)
  assert.deepEqual(
    contexts.filter((context) => !operationIds.some((id) => id === context)),
    [],
  )
})
