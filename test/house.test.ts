/** The border guard: reads every file of the house and fails on what crosses a floor. Each rule is first tried on a file that breaks it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as rules from './support/house-rules.ts'
import type { SourceFile } from './support/house-rules.ts'

const house = globSync(['src/**/*.ts', 'migrations/*.sql', 'web/src/**/*.{ts,tsx}']).map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}))

/** For each rule: what it must find fault with, and what it must let pass. */
const cases: {
  title: string
  rule: (file: SourceFile) => string[]
  bad: [path: string, text: string][]
  good: [path: string, text: string][]
}[] = [
  {
    title: 'imports only go down',
    rule: rules.importsGoDown,
    bad: [
      ['src/db/messages.ts', "import type { Context } from '../core/context.ts'"],
      ['src/core/emails/send.ts', "import { serve } from '../../entrypoints/api/serve.ts'"],
      ['src/contract/lists.ts', "export { sql } from '../db/connect.ts'"],
      ['src/core/context.ts', "const main = await import('../main.ts')"],
      ['src/core/context.ts', "import '../main/start-service.ts'"],
      ['src/core/context.ts', "import { freshDatabase } from '../../test/support/database.ts'"],
    ],
    good: [
      ['src/core/emails/send.ts', "import { sql } from '../../db/connect.ts'\nimport pg from 'pg'"],
      ['src/main.ts', "import { serve } from './entrypoints/api/serve.ts'"],
      ['src/db/a.ts', "// import { x } from '../core/x.ts'"],
    ],
  },
  {
    title: 'db and mail know nothing of each other',
    rule: rules.databaseAndMailAreApart,
    bad: [
      ['src/mail/compose.ts', "import { sql } from '../db/connect.ts'"],
      ['src/db/messages.ts', "import { compose } from '../mail/compose.ts'"],
    ],
    good: [['src/mail/compose.ts', "import { fold } from './fold.ts'"]],
  },
  {
    title: 'entrypoints never import one another',
    rule: rules.entrypointsAreApart,
    bad: [['src/entrypoints/api/serve.ts', "import { page } from '../pages/captured.ts'"]],
    good: [['src/entrypoints/api/serve.ts', "import { read } from './read-body.ts'"]],
  },
  {
    title: 'the pages take types of the contract alone',
    rule: rules.pagesTakeTypesAlone,
    bad: [
      ['web/src/api/client.ts', "import { operations } from '../../../src/contract/operations.ts'"],
      ['web/src/api/client.ts', "import type { Context } from '../../../src/core/context.ts'"],
      ['web/src/pages/a.tsx', "import { a } from './b.tsx'\nimport { limits } from '../../../src/contract/limits.ts'"],
    ],
    good: [
      ['web/src/api/client.ts', "import type { Role } from '../../../src/contract/roles.ts'\nimport { a } from './a.ts'"],
      ['web/build/emit-routes.ts', "import { operations } from '../../src/contract/operations.ts'"],
    ],
  },
  {
    title: 'SQL stays in src/db',
    rule: rules.sqlStaysInDb,
    bad: [
      ['src/core/x.ts', 'await db.rows(sql`select 1`)'],
      ['src/core/x.ts', 'const text = "select id from workspace"'],
      ['src/main.ts', "client.query('delete from message')"],
    ],
    good: [
      ['src/db/x.ts', 'sql`select 1`'],
      ['src/core/x.ts', "// select id from workspace\nthrow new Error('choose from these')"],
    ],
  },
  {
    title: 'process.env is read in src/config.ts only',
    rule: rules.environmentIsReadInConfig,
    bad: [
      ['src/core/x.ts', 'const port = process.env.PORT'],
      ['src/core/x.ts', "process['env'].PORT"],
      ['src/core/x.ts', 'const { env } = process'],
    ],
    good: [['src/config.ts', 'process.env']],
  },
  {
    title: 'time is asked of src/clock.ts',
    rule: rules.timeIsAskedOfTheClock,
    bad: [
      ['src/core/x.ts', 'const at = new Date()'],
      ['src/core/x.ts', 'const at = Date.now()'],
      ['src/core/x.ts', 'const at = new Date'],
    ],
    good: [
      ['src/core/x.ts', 'const at = new Date(row.created_at)'],
      ['src/core/x.ts', 'let at: Date'],
    ],
  },
  {
    title: 'SQL asks facteur_now() for the time',
    rule: rules.sqlAsksFacteurNow,
    bad: [
      ['migrations/0002_x.sql', 'create table x (at timestamptz default now())'],
      ['migrations/0002_x.sql', 'select CURRENT_TIMESTAMP'],
      ['src/db/x.ts', 'sql`select clock_timestamp()`'],
      ['src/db/x.ts', 'sql`update x set at = now ( )`'],
    ],
    good: [
      ['src/db/x.ts', 'sql`select facteur_now()`; performance.now()'],
      [
        'migrations/0001_x.sql',
        'create function facteur_now() returns timestamptz language sql return clock_timestamp();\n-- never now()',
      ],
    ],
  },
]

for (const { title, rule, bad, good } of cases) {
  test(`${title}: the rule finds what breaks it and nothing else`, () => {
    for (const [path, text] of bad) assert.notDeepEqual(rule({ path, text }), [], `let pass: ${path}: ${text}`)
    for (const [path, text] of good) assert.deepEqual(rule({ path, text }), [])
  })
  test(`${title}: the house keeps it`, () => {
    assert.deepEqual(house.flatMap(rule), [])
  })
}

test('imports form no circle: the rule finds one, also of types', () => {
  const files = [
    { path: 'src/core/a.ts', text: "import { b } from './b.ts'" },
    { path: 'src/core/b.ts', text: "import type { C } from './c.ts'" },
    { path: 'src/core/c.ts', text: "import { a } from './a.ts'" },
  ]
  assert.deepEqual(rules.importsFormNoCircle(files), ['src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts'])
  assert.deepEqual(rules.importsFormNoCircle(files.slice(0, 2)), [])
})

test('imports form no circle: the house keeps it', () => {
  assert.deepEqual(rules.importsFormNoCircle(house), [])
})

test('the house is read at all', () => {
  assert.ok(house.length > 50)
  assert.ok(house.some(({ path }) => path.startsWith('migrations/')))
  assert.ok(house.some(({ path }) => path.startsWith('web/src/')))
})
