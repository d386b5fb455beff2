/**
 * The texts of the workspace's pages: the same in both languages, with the same places to fill, and
 * none that a page asks for is missing.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { operationIds } from '../../src/contract/operations.ts'

type Texts = Record<string, string>

/** By area. */
function readTexts(language: 'en' | 'fr'): Map<string, Texts> {
  const areas: Record<string, Texts> = JSON.parse(
    readFileSync(`web/src/texts/${language}.json`, 'utf8'),
  )
  return new Map(Object.entries(areas))
}

const en = readTexts('en')
const fr = readTexts('fr')

/** Languages differ in how many plurals they have. */
const withoutPlural = (key: string): string => key.replace(/_(?:zero|one|two|few|many|other)$/, '')
const keysOf = (texts: Texts = {}): string[] =>
  [...new Set(Object.keys(texts).map(withoutPlural))].toSorted()

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
      const french = fr.get(area)?.[key]
      if (french !== undefined)
        assert.deepEqual(placesOf(french), placesOf(text), `${area}: ${key}`)
    }
})

test('a text that the shell has by the same name stands there alone', () => {
  const isAlike = (texts: Map<string, Texts>, area: string, key: string) =>
    texts.get(area)?.[key] === texts.get('shell')?.[key]
  const twice = [...en].flatMap(([area, texts]) =>
    area === 'shell'
      ? []
      : Object.keys(texts).filter((key) => isAlike(en, area, key) && isAlike(fr, area, key)),
  )
  assert.deepEqual(twice, [])
})

test('every text that a page asks for by its name is there', () => {
  const missing = globSync('web/src/**/*.{ts,tsx}').flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    const areas = [...source.matchAll(/useTranslation\('(\w+)'\)/g)].map((match) => match[1] ?? '')
    if (areas.length === 0) return []
    const known = new Set([...areas, 'shell'].flatMap((area) => keysOf(en.get(area))))
    const requested = [...source.matchAll(/(?<![\w.])t\(\s*'(\w+)'/g)].map(
      (match) => match[1] ?? '',
    )
    return requested
      .filter((key) => !known.has(withoutPlural(key)) && !known.has(key))
      .map((key) => `${file}: ${key}`)
  })
  assert.deepEqual(missing, [])
})

/**
 * Keys that a page makes of a word: `status_${word}`, `keyOf('status', word)`, `prefix="status"` of
 * a badge, `${key}Why`.
 */
function madeKeys(source: string): RegExp {
  const beginnings = [...source.matchAll(/`(\w+)\$\{/g)].map((match) => `${match[1]}.*`)
  const words = [...source.matchAll(/keyOf\(([^,]+),/g)].flatMap((match) => [
    ...(match[1] ?? '').matchAll(/'(\w+)'/g),
  ])
  const kinds = [...words, ...source.matchAll(/<StateBadge\s[^>]*?prefix="(\w+)"/g)]
  const ends = [...source.matchAll(/`\$\{[^`}]+\}([A-Z]\w+)`/g)].map((match) => `.*${match[1]}`)
  return new RegExp(
    `^(?:${[...beginnings, ...kinds.map((match) => `${match[1]}[A-Z\\d].*`), ...ends].join('|')})$`,
  )
}

test('every text is one that a page of its area asks for', () => {
  const files = globSync('web/src/**/*.{ts,tsx}').map((path) => ({
    path,
    text: readFileSync(path, 'utf8'),
  }))
  const folders = [...Map.groupBy(files, ({ path }) => dirname(path)).values()]
  const unasked = [...en].flatMap(([area, texts]) => {
    // Tables of words stand beside the pages that read them.
    const near = folders.filter((folder) =>
      folder.some(({ text }) =>
        new RegExp(`useTranslation\\('${area}'\\)|ns: '${area}'`).test(text),
      ),
    )
    const textOf = (some: typeof folders): string =>
      some.flatMap((folder) => folder.map(({ text }) => text)).join('\n')
    const source = textOf(near)
    // All pages name those of the shell. A table may be by its texts: `problemEmpty: ['minLength',
    // …]`.
    const words = (area === 'shell' ? textOf(folders) : source).matchAll(
      /(['"])(\w+)\1|^ {2}(\w+): \[/gm,
    )
    const named = new Set([...words].map((match) => match[2] ?? match[3] ?? ''))
    const created = madeKeys(source)
    const requested = (key: string): boolean =>
      named.has(key) || named.has(withoutPlural(key)) || created.test(key)
    return Object.keys(texts).flatMap((key) => (requested(key) ? [] : [`${area}.${key}`]))
  })
  assert.deepEqual(unasked, [])
})

test('every reason that a verb refuses for has words that say how to mend it, some by what was asked for', () => {
  const reasons = globSync('src/{core,entrypoints/api}/**/*.ts').flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    const thrown = source.matchAll(
      /ApiError\(\s*'(?:conflict|validation_error|internal_error)',\s*\{[^}]*?\breason: '(\w+)'/g,
    )
    const reported = source.matchAll(/\brefusal\(\s*'(\w+)'/g)
    return [...thrown, ...reported].map((match) => match[1] ?? '')
  })
  assert.ok(new Set(reasons).size > 25, 'they are found')
  const known = new Set(Object.keys(en.get('shell') ?? {}))
  // The page where the file is dropped has the words for the errors of a CSV file, with their line.
  assert.deepEqual(
    [...new Set(reasons)].filter(
      (reason) => !known.has(`why_${reason}`) && !reason.startsWith('csv_'),
    ),
    [],
  )
  const contexts = [...known].flatMap(
    (key) => /^why_[a-z_]+_([a-z]+[A-Z]\w*)$/.exec(key)?.[1] ?? [],
  )
  assert.ok(contexts.length > 3)
  assert.deepEqual(
    contexts.filter((context) => !operationIds.some((id) => id === context)),
    [],
  )
})

const frenchFiles = [
  'web/src/texts/fr.json',
  'src/ground/texts/fr.json',
  'src/ground/texts/recipients/fr.json',
]

/** All strings of a file of texts, by where they stand. */
function stringsOf(node: unknown, path = ''): [path: string, text: string][] {
  if (typeof node === 'string') return [[path, node]]
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, below]) => stringsOf(below, `${path}.${key}`))
}

test('French has a no-break space before its high punctuation, within quotes and before a per cent', () => {
  for (const file of frenchFiles) {
    const wrong = stringsOf(JSON.parse(readFileSync(file, 'utf8'))).filter(([, text]) =>
      / [:;!?»%]|« |[^\s\u00a0\u202f][;!?»](?=\s|$)|[^\s\u00a0\u202f](?<!Authorization|Content-Type|X-Api-Key):(?=\s|$)/.test(
        text,
      ),
    )
    assert.deepEqual(wrong, [], file)
  }
})

test('French has one word for each thing, on pages and in mails', () => {
  const others =
    /délivré|\bRemis à zéro le \d|[Rr]ejeté|[Rr]ejets?\b|\bOffre\b|[Cc]ourriers? capturé|opérateur|indésirables? par|[Dd]ésabonn|\bChercher\b/
  for (const file of frenchFiles)
    assert.deepEqual(
      stringsOf(JSON.parse(readFileSync(file, 'utf8'))).filter(([, text]) => others.test(text)),
      [],
      file,
    )
  assert.equal(fr.get('suppression')?.['title'], fr.get('shell')?.['suppression'])
  assert.equal(fr.get('captured')?.['title'], fr.get('shell')?.['captured'])
})

test('English counts e-mails, not mails', () => {
  const wrong = [...en.values()].flatMap((texts) =>
    Object.entries(texts).filter(([, text]) => /(?<![\w{-])mails\b(?! you)/i.test(text)),
  )
  assert.deepEqual(wrong, [])
})

/** English plurals behind a number; the number may be one, so each text needs both forms. */
const counted =
  /\{\{(?!limit|most|floor)\w+\}\} (?:people|persons|recipients|e-mails|messages|links|pictures|hours|days|lines|records|problems|things|keys|fields|domains|senders|opens|clicks|hand-offs|campaigns|blocks|tags|webhooks|files|others)\b/

/** Limits and the like, which are never one. */
const neverOne = new Set([
  'drafts.rule_links',
  'subscribers.growth',
  'webhooks.deliveredDays',
  'webhooks.failedDays',
  'overview.belowFloor',
  'drafts.reason_held_back_many',
])

test('a counted noun has a singular', () => {
  for (const [area, texts] of en)
    for (const [key, text] of Object.entries(texts)) {
      const isPlural =
        key.endsWith('_other') || Object.hasOwn(texts, `${key}One`) || /suspendedBy/.test(key)
      // A refusal shows the numbers that it was given, each as it is.
      const isRefusal = key.startsWith('why_')
      if (isPlural || isRefusal || neverOne.has(`${area}.${key}`)) continue
      assert.ok(key.endsWith('_one') || !counted.test(text), `${area}.${key}: ${text}`)
    }
})
