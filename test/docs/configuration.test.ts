/**
 * The tables of `docs/configuration.md`, `.env.example` and `src/ground/config.ts` name the same
 * variables with the same defaults.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readConfig, settingNames } from '../../src/ground/config.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** Only tests set it: the page names it, and `.env.example` has no line to copy. */
const forTestsOnly = 'FACTEUR_FAILPOINTS'

/**
 * Examples in `.env.example` that only show the form; without the variable there is no relay and no
 * external database.
 */
const formsOnly = new Set(['DATABASE_URL', 'FACTEUR_SMTP_URL'])

const inCode = new Set<string>(settingNames)
const inDocs = new Map(
  [
    ...read('docs/configuration.md').matchAll(
      /^\| `(FACTEUR_[A-Z_]+|DATABASE_URL|OTEL_[A-Z_]+)` \| (?:`([^`]*)`|–) \|/gm,
    ),
  ].map(([, name = '', value]) => [name, value]),
)
const inExample = new Map(
  [...read('.env.example').matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name = '', value]) => [
    name,
    value || undefined,
  ]),
)

test('every setting is read, and nothing else is', () => {
  const names = [
    ...read('src/ground/config.ts').matchAll(
      /\bsetting\(\s*'(FACTEUR_[A-Z_]+|DATABASE_URL|OTEL_[A-Z_]+)'/g,
    ),
  ].map(([, name]) => name)
  assert.deepEqual(names.toSorted(), [...inCode].toSorted())
})

test('every variable that the code reads is in docs/configuration.md, and no other', () => {
  assert.ok(inCode.size > 20)
  assert.deepEqual([...inDocs.keys()].toSorted(), [...inCode].toSorted())
})

test('.env.example has every variable but the one of tests', () => {
  assert.deepEqual([...inExample.keys(), forTestsOnly].toSorted(), [...inCode].toSorted())
})

for (const [name, value] of inDocs) {
  if (value === undefined) continue
  test(`${name}: ${value} is what its absence means`, () => {
    assert.deepEqual(readConfig({ [name]: value }), readConfig({}))
    assert.equal(inExample.get(name), value)
  })
}

test('a variable without a default has none in .env.example either', () => {
  const without = [...inDocs].flatMap(([name, value]) =>
    value === undefined && !formsOnly.has(name) ? [name] : [],
  )
  for (const name of without) assert.equal(inExample.get(name), undefined, name)
})
