/**
 * Each line of the contract has tests that `npm test` plays. The tables of docs/proofs.md and
 * docs/security-tests.md are compared with the documents, the contract and the tests; each
 * comparison is first tried on a broken copy.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errorKinds } from '../src/contract/errors.ts'
import { eventTypes } from '../src/contract/events.ts'
import { limitTable } from '../src/contract/limits.ts'
import { operationIds, operations } from '../src/contract/operations.ts'
import { proofsOfPages, quickProofs as proofs, tierOf } from './tiers.ts'

/** A line of a table, and the tests that it names. */
interface Row {
  line: string
  tests: { file: string; titles: string[] }[]
}

interface TestFiles {
  /** Null where there is no such file. */
  read(file: string): string | null
  isQuick(file: string): boolean
}

const read = (path: string): string => readFileSync(path, 'utf8')
const onDisk: TestFiles = {
  read: (file) => (existsSync(file) ? read(file) : null),
  isQuick: (file) => tierOf(file) === 'quick',
}

/** Below a heading of a document, up to the next one. */
const section = (document: string, heading: string): string =>
  document.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''

/** The rows of all tables of a text whose last column names tests. */
function rowsOf(text: string): Row[] {
  const rows = text.split('\n').filter((line) => /^\| .*`test\//.test(line))
  return rows.map((row) => {
    const [line = '', ...columns] = row.slice(2, -2).split(' | ')
    return { line, tests: testsIn(columns.at(-1) ?? '') }
  })
}

/** Reads `file`: title…, title…; `file`. */
function testsIn(column: string): Row['tests'] {
  const [, ...parts] = column.replaceAll(' ✂', '').split(/`(test\/[\w./-]+)`/)
  return Array.from({ length: parts.length / 2 }, (_, index) => {
    const [file = '', after = ''] = parts.slice(index * 2)
    const titles = after.replace(/[,;] $/, '').split(/^: |(?<=…)[,;] /)
    return { file, titles: after.startsWith(': ') ? titles.slice(1) : [] }
  })
}

/** The titles of a test file as its source writes them, with `…` for each `${}`. */
function titlesOf(source: string): string[] {
  const titles = source.matchAll(
    /(?<![\w.])test\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\$\{(?:[^{}]|\{[^{}]*\})*\}|\\.|[^`\\])*)`)/g,
  )
  return Array.from(titles, ([, single, double, template = '']) =>
    (single ?? double ?? template.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')).replaceAll(
      /\\(.)/g,
      '$1',
    ),
  )
}

/** A text in which each `…` is a pattern. */
const patternOf = (text: string, pattern: string): string =>
  text
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join(pattern)

/**
 * Whether a source has a test of this title. A text that a template fills in must stand in the
 * source, in quotes.
 */
function hasTitle(source: string, title: string): boolean {
  const pattern = new RegExp(`^${patternOf(title, '.*')}$`)
  return titlesOf(source).some((written) => {
    if (pattern.test(written)) return true
    const filledIn = new RegExp(`^${patternOf(written, '(.+?)')}$`).exec(title)?.slice(1) ?? []
    return (
      filledIn.length > 0 &&
      filledIn.every(
        (text) =>
          text === '…' || new RegExp(`(['"\`])${patternOf(text, '[^\\n]*')}\\1`).test(source),
      )
    )
  })
}

/**
 * The faults of the tests that a table names. `every`: all of a line are of the quick tier; else
 * one is enough.
 */
function wrongTests(rows: Row[], files: TestFiles, { every }: { every: boolean }): string[] {
  return rows.flatMap(({ line, tests }) => {
    const isQuick = every
      ? tests.every(({ file }) => files.isQuick(file))
      : tests.some(({ file }) => files.isQuick(file))
    const wrong = tests.flatMap(({ file, titles }) => {
      const source = files.read(file)
      if (source === null) return [`there is no ${file}`]
      return titles
        .filter((title) => !hasTitle(source, title))
        .map((title) => `${file} has no test "${title}"`)
    })
    return [
      ...wrong,
      ...(isQuick ? [] : [`npm test does not play ${tests.map(({ file }) => file).join(', ')}`]),
    ].map((what) => `${line}: ${what}`)
  })
}

/** The lines that have no row, and the rows that have no line. */
function wrongLines(rows: Row[], lines: readonly string[]): string[] {
  const listed = rows.map(({ line }) => line)
  return [
    ...lines.filter((line) => !listed.includes(line)).map((line) => `${line}: it has no row`),
    ...listed
      .filter((line) => !lines.includes(line))
      .map((line) => `${line}: nothing is called so`),
  ]
}

/** Each arrow of the state machines, by the name of its column, and each of the smaller ones. */
function statesIn(document: string): string[] {
  const [, ...machines] = document.split(/^## /m)
  return machines.flatMap((text) => {
    const name = /`([^`]+)`/.exec(text.split('\n')[0] ?? '')?.[1] ?? text.split('\n')[0]
    const arrows = [...text.matchAll(/^ {2}(.+ --> .+)$/gm)].map(([, arrow]) => arrow)
    const smaller =
      name === 'Smaller state machines'
        ? [...text.matchAll(/^\| (\w[^|]*) \|/gm)].map(([, thing]) => thing)
        : []
    return [...arrows, ...smaller.slice(1)].map((line) => `${name}: ${line}`)
  })
}

/** The names of the rules of SECURITY.md. */
const rulesIn = (document: string): string[] =>
  [...section(document, 'The rules, and where to look').matchAll(/^\*\*([^*]+?)\.?\*\*/gm)].map(
    ([, name = '']) => name,
  )

const lines: Record<string, readonly string[]> = {
  Errors: Object.keys(errorKinds),
  Limits: Object.keys(limitTable),
  Operations: operationIds.filter((id) => operations[id].entry === 'api'),
  Events: eventTypes,
  States: statesIn(read('docs/states.md')),
  Security: rulesIn(read('SECURITY.md')),
}

const broken = {
  table:
    '| a | `test/a.test.ts`: 422: one…, 200: …; `test/b.test.ts` ✂ |\n| b | `test/a.test.ts`: 422: two |',
  a: "test('200: it is', run)\nfor (const what of ['one more', 'two']) test(`422: ${what}`, run)",
}
const brokenFiles = (changed: Partial<TestFiles> = {}): TestFiles => ({
  read: (file) => (file === 'test/a.test.ts' ? broken.a : ''),
  isQuick: (file) => file === 'test/a.test.ts',
  ...changed,
})

test('a title, a file or a tier that is gone is found', () => {
  const rows = rowsOf(broken.table)
  assert.deepEqual(wrongTests(rows, brokenFiles(), { every: false }), [])
  assert.deepEqual(wrongTests(rows, brokenFiles(), { every: true }), [
    'a: npm test does not play test/a.test.ts, test/b.test.ts',
  ])
  const none = brokenFiles({
    read: (file) => (file === 'test/b.test.ts' ? null : broken.a.replace("'two'", "'three'")),
  })
  assert.deepEqual(wrongTests(rows, none, { every: false }), [
    'a: there is no test/b.test.ts',
    'b: test/a.test.ts has no test "422: two"',
  ])
  const renamed = brokenFiles({ read: () => broken.a.replace('422: $', '404: $') })
  assert.equal(wrongTests(rows, renamed, { every: false }).length, 2)
  const slow = brokenFiles({ isQuick: () => false })
  assert.equal(wrongTests(rows, slow, { every: false }).length, 2)
})

test('a line without a row and a row without a line are found', () => {
  const states =
    '## A thing: `thing.state`\n\n  a --> b: first\n  b --> c: second\n\n## Smaller state machines\n\n| Thing | States |\n|---|---|\n| Key | x |\n'
  const named = statesIn(states)
  assert.deepEqual(named, [
    'thing.state: a --> b: first',
    'thing.state: b --> c: second',
    'Smaller state machines: Key',
  ])
  const rows = named.map((line) => ({ line, tests: [] }))
  assert.deepEqual(wrongLines(rows, named), [])
  assert.deepEqual(wrongLines(rows.slice(1), named), ['thing.state: a --> b: first: it has no row'])
  assert.deepEqual(wrongLines(rows, named.slice(0, 2)), [
    'Smaller state machines: Key: nothing is called so',
  ])
  assert.deepEqual(
    rulesIn(
      '## The rules, and where to look\n\n**One.** Rule.\n\n**Two** rules.\n\n## Else\n\n**Three.**',
    ),
    ['One', 'Two'],
  )
})

for (const [heading, expected] of Object.entries(lines))
  test(`${heading}: the table has each line and no other`, () => {
    assert.ok(expected.length > 5, 'they are read at all')
    assert.deepEqual(wrongLines(rowsOf(section(proofs, heading)), expected), [])
  })

test('npm test plays each test of docs/proofs.md, and each exists', () => {
  const rows = rowsOf(proofs)
  assert.ok(rows.length > 400)
  assert.deepEqual(wrongTests(rows, onDisk, { every: true }), [])
})

test('each test of the pages in docs/proofs.md exists', () => {
  const rows = rowsOf(proofsOfPages)
  assert.ok(rows.length > 10)
  const anyTier = { ...onDisk, isQuick: () => true }
  assert.deepEqual(wrongTests(rows, anyTier, { every: true }), [])
})

test('npm test plays a test of each line of docs/security-tests.md, and each exists', () => {
  const rows = rowsOf(read('docs/security-tests.md'))
  assert.ok(rows.length > 100)
  assert.deepEqual(wrongTests(rows, onDisk, { every: false }), [])
})
