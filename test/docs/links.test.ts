/**
 * Every reference of the documents leads somewhere: files, headings, paths in the code, functions,
 * npm commands. So does every reference of the code to them.
 */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { coreOrder } from '../support/architecture-rules.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const find = (...patterns: string[]): string[] =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted()
const exists = (path: string): boolean => existsSync(join(root, path))

const documents = find('*.md', 'docs/**/*.md')
const code = find(
  'src/**/*.{ts,css}',
  'web/{src,build}/**/*.{ts,tsx,css}',
  'migrations/*.sql',
  'bin/*',
  'test/**/*.ts',
  'bench/**/*.ts',
)
const sources = find('{src,test/support}/**/*.ts', 'web/{src,build}/**/*.{ts,tsx}', 'bin/*')
  .map(read)
  .join('\n')

for (const path of documents) {
  const text = read(path)
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '')
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)

  test(`${path}: links lead somewhere`, () => {
    const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    assert.deepEqual(
      targets.filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(path, target)),
      [],
    )
  })

  test(`${path}: paths in the code exist`, () => {
    const folders = /^(?:\.?\/)?((?:src|test|bench|bin|migrations|docs|deploy)\/[\w./*-]+)$/
    const named = spans.flatMap((span) => folders.exec(span)?.[1] ?? [])
    // `src/providers/NAME.ts` is one that the reader makes.
    const missing = named.filter(
      (name) => !/[A-Z]{2}/.test(name) && !exists(name) && find(name).length === 0,
    )
    assert.deepEqual(missing, [])
  })

  test(`${path}: functions that it names exist`, () => {
    const named = spans.flatMap((span) => /^([a-z]\w+)\(\)$/.exec(span)?.[1] ?? [])
    assert.deepEqual(
      named.filter(
        (name) =>
          !sqlFunctions.has(name) &&
          !new RegExp(`(?:function\\*? |const )${name}\\b|^ +${name}[(:]`, 'm').test(sources),
      ),
      [],
    )
  })

  test(`${path}: npm commands exist`, () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
    const named = [...text.matchAll(/npm run (?:-s )?([a-z]+)/g)].map(([, name = '']) => name)
    assert.deepEqual(
      named.filter((name) => !(name in scripts)),
      [],
    )
  })
}

test('ARCHITECTURE.md: of its paths, what is said to be called is named by the file of a function before', () => {
  const paths =
    /^## The eight paths$[\s\S]*?(?=^## )/m
      .exec(read('ARCHITECTURE.md'))?.[0]
      .split(/^(?=\d\. )/m)
      .slice(1) ?? []
  assert.equal(paths.length, 8)
  assert.ok(paths.flatMap(callsOf).length > 20)
  assert.deepEqual(paths.flatMap(callsOf).filter(isUntrue), [])
  // The rule finds what breaks it: a path that leaves out who calls, and one that says the reverse.
  const wrong = [
    '`serveApi()` → `admit()`',
    '`readEmail()` ⇢ `send()`: two steps → `sendEmail()`',
  ].flatMap(callsOf)
  assert.deepEqual(wrong.filter(isUntrue), wrong)
})

test('ARCHITECTURE.md: the order inside core is the one that the imports are checked by', () => {
  const [, block = ''] = /^```\n(dispatch\n[\s\S]*?)^```$/m.exec(read('ARCHITECTURE.md')) ?? []
  const lines = block.split('→').map((line) => line.trim())
  const nouns = (lines[1] ?? '').replace('nouns: ', '').split(' ')
  const checked = coreOrder.map((names) => names.join(' ')).filter((line) => line !== 'ground')
  assert.deepEqual(lines.with(1, 'nouns'), checked)
  const folders = find('src/core/*/').map((path) => path.replace(/^src\/core\/|\/$/g, ''))
  const ordered = new Set(coreOrder.flat())
  assert.deepEqual(
    nouns.toSorted(),
    folders.filter((name) => !ordered.has(name)),
  )
})

interface SaidCall {
  callers: string[]
  called: string
}

/** The calls of a path: each function behind an arrow, with those before it. */
function callsOf(path: string): SaidCall[] {
  const named = [...path.matchAll(/(→\s+)?`(\w+)\(\)`/g)]
  return named.flatMap(([, arrow, called = ''], at) =>
    arrow === undefined
      ? []
      : [{ callers: named.slice(0, at).map(([, , name = '']) => name), called }],
  )
}

const programs = find('src/**/*.ts', 'web/src/**/*.{ts,tsx}').map(read)

const isUntrue = ({ callers, called }: SaidCall): boolean =>
  !programs.some(
    (text) =>
      new RegExp(`\\b${called}\\b`).test(text.replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, '')) &&
      callers.some((name) =>
        new RegExp(`^(?:export )?(?:(?:async )?function\\*?|const) ${name}\\b`, 'm').test(text),
      ),
  )

test('documents that the code cites exist', () => {
  const cited = code.flatMap((path) =>
    [...read(path).matchAll(/\bdocs\/(?:decisions\/\d{4}|[\w-]+\.(?:md|json))/g)].map(
      ([name]) => name,
    ),
  )
  assert.ok(cited.length > 5)
  const past = new Set(
    [...read('docs/decisions/0000-history.md').matchAll(/^- \*\*(\d{4})\*\*/gm)].map(
      ([, number]) => `docs/decisions/${number}`,
    ),
  )
  assert.deepEqual(
    cited.filter((name) => !exists(name) && !past.has(name) && find(`${name}-*.md`).length === 0),
    [],
  )
})

test('decisions are numbered, each number once', () => {
  const numbers = find('docs/decisions/*.md').map((path) => /(\d{4})-[\w-]+\.md$/.exec(path)?.[1])
  assert.ok(!numbers.includes(undefined))
  assert.equal(new Set(numbers).size, numbers.length)
})

/** Defined in migrations, or PostgreSQL's own. */
const sqlFunctions = new Set(['facteur_now', 'now'])

function leadsSomewhere(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#')
  const path = file === '' ? from : join(dirname(from), file)
  if (!exists(path)) return false
  return anchor === undefined || headingsOf(read(path)).includes(anchor)
}

/**
 * The anchors that a Markdown page has on a forge: headings in lower case, without punctuation,
 * with hyphens.
 */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
