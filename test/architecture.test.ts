/**
 * The rules of ARCHITECTURE.md hold for every file. Each rule is first tried on a file that breaks
 * it.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as rules from './support/architecture-rules.ts'
import type { SourceFile } from './support/architecture-rules.ts'
import { declaredNamesAreNotRetired } from './support/retired-words.ts'

const read = (patterns: string[]): SourceFile[] =>
  globSync(patterns).map((path) => ({ path, text: readFileSync(path, 'utf8') }))
const files = read(['src/**/*.ts', 'migrations/*.sql', 'web/src/**/*.{ts,tsx}'])
const tests = read(['test/**/*.ts'])

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
      ['src/db/messages/messages.ts', "import type { Context } from '../../core/context.ts'"],
      ['src/core/emails/send.ts', "import { serve } from '../../entrypoints/api/serve.ts'"],
      ['src/contract/lists.ts', "export { sql } from '../db/connect.ts'"],
      ['src/contract/lists.ts', "import type { Config } from '../config.ts'"],
      ['src/ground/dns/servers.ts', "import { limits } from '../../contract/limits.ts'"],
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
      ['src/mail/mime/compose.ts', "import { sql } from '../../db/connection/connect.ts'"],
      ['src/db/messages/messages.ts', "import { compose } from '../../mail/mime/compose.ts'"],
    ],
    good: [['src/mail/mime/compose.ts', "import { fold } from './fold.ts'"]],
  },
  {
    title: 'inside core, imports only go down',
    rule: rules.coreImportsGoDown,
    bad: [
      [
        'src/core/sending/send.ts',
        "import { recordFeedback } from '../feedback/record-feedback.ts'",
      ],
      ['src/core/campaigns/freeze.ts', "import { presentForm } from '../forms/get-form.ts'"],
      ['src/core/context.ts', "import type { MailDomains } from './domains/mail-domains.ts'"],
      ['src/core/emails/send-email.ts', "import { perform } from '../dispatch/dispatch.ts'"],
      ['src/core/presentation/a.ts', "import { b } from '../files/b.ts'"],
    ],
    good: [
      [
        'src/core/emails/send-email.ts',
        "import { send } from '../sending/send.ts'\nimport type { Context } from '../context.ts'",
      ],
      [
        'src/core/campaigns/run/get-campaign-run.ts',
        "import { findCampaign } from '../find-campaign.ts'",
      ],
      ['src/main.ts', "import { perform } from './core/dispatch/dispatch.ts'"],
    ],
  },
  {
    title: 'a function of core that takes the context takes one input beside it',
    rule: rules.verbsTakeOneInput,
    bad: [
      [
        'src/core/domains/a.ts',
        'export async function a(ctx: Pick<Context, "db">, id: string, name: string) {}\n',
      ],
    ],
    good: [
      [
        'src/core/domains/a.ts',
        'export async function a(ctx: Context, { id, name }: { id: string; name: string }) {}\n',
      ],
      [
        'src/core/domains/b.ts',
        'export const b = (ctx: Context, tx: Database, id: string) => id\n',
      ],
    ],
  },
  {
    title: 'one operation, one verb file of its name',
    rule: rules.verbsHaveTheirFile,
    bad: [
      [
        'src/core/dispatch/verbs.ts',
        "export { pauseCampaign } from '../campaigns/stop-campaign.ts'\n",
      ],
      [
        'src/core/dispatch/verbs.ts',
        "export { pauseCampaign, sendCampaign } from '../campaigns/send-campaign.ts'\n",
      ],
      [
        'src/core/dispatch/verbs.ts',
        "export { stop as pauseCampaign } from '../campaigns/pause-campaign.ts'\n",
      ],
    ],
    good: [
      [
        'src/core/dispatch/verbs.ts',
        "/** The verbs. */\n\nexport { pauseCampaign } from '../campaigns/pause-campaign.ts'\n",
      ],
    ],
  },
  {
    title: 'names use the words of the glossary',
    rule: rules.namesUseTheGlossary,
    bad: [
      ['src/core/judge-flight.ts', ''],
      ['src/db/a.ts', 'export const forgetPersons = 1'],
      ['src/db/a.ts', 'export async function takeNews() {}'],
      ['web/src/parts/Theirs.tsx', ''],
      ['src/core/a.ts', 'export interface VisitRow {}'],
      ['src/core/a.ts', 'const most = 1\nexport { least, most as leastRows }'],
      ['src/core/a.ts', 'export const { news, max: mostRows } = read()'],
      ['src/core/a.ts', "ctx.log.warn({ err: error, ...{ id } }, 'The end was not noted')"],
      ['src/db/a.ts', 'sql`with theirs as materialized (select 1) select 2`'],
      ['src/db/a.ts', 'sql`with a as (select 1), persons (id) as (select 2) select 3`'],
      ['test/core/looking-after-campaigns.test.ts', ''],
    ],
    good: [
      [
        'src/core/a.ts',
        'export const personalTokens = 1\nexport const newsletter = 2\n// the house',
      ],
      ['src/core/a.ts', 'export const removeSubscriber = 1\nconst visit = 2'],
      ['src/core/a.ts', "export const isAtLeast = 1\nexport { news } from './b.ts'"],
      ['src/core/a.ts', "import { news } from './b.ts'\nexport type { news }"],
      ['src/db/a.ts', 'sql`with settled as (select 1) select 2`'],
      ['test/settings.test.ts', 'export const news = 1'],
    ],
  },
  {
    title: 'declared names have no word of the closed list',
    rule: declaredNamesAreNotRetired,
    bad: [
      ['src/core/a.ts', 'function send(given: string): void {}'],
      ['src/db/a.ts', 'const { rows: told } = read()'],
      ['test/core/a.test.ts', 'for (const [asked] of cases) run(asked)'],
      ['web/src/a.tsx', 'interface A { heldMax: number }'],
      ['src/core/a.ts', 'class A { look(): void {} }'],
    ],
    good: [
      ['src/core/a.ts', '// the given name\nconst text = "told"'],
      ['src/core/a.ts', 'const givenName = row.held'],
      ['src/ground/a.ts', 'const lookUpDomain = () => 1'],
    ],
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
      [
        'web/src/pages/a.tsx',
        "import { a } from './b.tsx'\nimport { limits } from '../../../src/contract/limits.ts'",
      ],
    ],
    good: [
      [
        'web/src/api/client.ts',
        "import type { Role } from '../../../src/contract/roles.ts'\nimport { a } from './a.ts'",
      ],
      [
        'web/build/emit-contract.ts',
        "import { operations } from '../../src/contract/operations.ts'",
      ],
    ],
  },
  {
    title: 'pages and dialogs call the service by the hooks',
    rule: rules.pagesCallByHooks,
    bad: [
      ['web/src/pages/a.tsx', "import { api } from '../api/client.ts'"],
      ['web/src/parts/a.tsx', "import { type Got, apiOf as calls } from '../api/client.ts'"],
    ],
    good: [
      ['web/src/pages/a.tsx', "import { addressOf, type Got } from '../api/client.ts'"],
      ['web/src/api/use-ask.ts', "import { api } from './client.ts'"],
    ],
  },
  {
    title: 'pages take the limits of inputs from the contract',
    rule: rules.pagesTypeNoLimits,
    bad: [['web/src/pages/a.tsx', '<TextInput maxLength={120} />']],
    good: [['web/src/pages/a.tsx', '<TextInput maxLength={limits.subjectMax} />']],
  },
  {
    title: 'pages take no locale for a language',
    rule: rules.pagesCompareNoLocale,
    bad: [['web/src/pages/a.tsx', "i18n.language === 'fr' ? 1 : 2"]],
    good: [['web/src/pages/a.tsx', 'count.toLocaleString(i18n.language)']],
  },
  {
    title: 'pages write dates by say-date.ts',
    rule: rules.pagesWriteDatesAlike,
    bad: [
      ['web/src/pages/a.ts', 'new Intl.DateTimeFormat(language).format(day)'],
      ['web/src/pages/a.ts', 'day.toLocaleDateString(language)'],
    ],
    good: [
      ['web/src/pages/a.ts', 'new Intl.DateTimeFormat().resolvedOptions().timeZone'],
      ['web/src/say-date.ts', 'new Intl.DateTimeFormat(language, options)'],
    ],
  },
  {
    title: 'SQL stays in src/db and src/database',
    rule: rules.sqlStaysInDb,
    bad: [
      ['src/core/x.ts', 'await db.rows(sql`select 1`)'],
      ['src/core/x.ts', 'const text = "select id from workspace"'],
      ['src/main.ts', "client.query('delete from message')"],
    ],
    good: [
      ['src/db/x.ts', 'sql`select 1`'],
      ['src/database/cells/x.ts', 'sql`select 1`'],
      ['src/core/x.ts', "// select id from workspace\nthrow new Error('choose from these')"],
    ],
  },
  {
    title: 'few files name cells, moves and copies',
    rule: rules.fewNameCells,
    bad: [
      ['src/core/workspaces/a.ts', "import { a } from '../../database/cells/cells.ts'"],
      ['src/core/emails/a.ts', "import type { A } from '../../database/transport/copy-state.ts'"],
      ['src/core/emails/a.ts', 'const { cell } = ctx'],
      ['src/core/dispatch/a.ts', 'if (refusedByMove(error)) throw error'],
      ['src/db/messages/a.ts', 'sql`select cell from workspace`'],
      ['src/db/messages/a.ts', 'sql`select 1 from workspace_move`'],
      ['src/providers/a.ts', 'export function addCell() {}'],
      ['src/entrypoints/api/a.ts', 'intake.moving = null'],
      ['src/entrypoints/pages/a.ts', 'html`<p>${service.cell.id}</p>`'],
    ],
    good: [
      ['src/core/emails/a.ts', "const reason = 'changing_cell' // of the cell"],
      ['src/core/audience/a.ts', 'refuse(`the tags of one cell: ${tags}`)'],
      ['src/core/feedback/a.ts', 'export const cancelled = moveRecipients(copy)'],
      ['src/core/databases.ts', "import { a } from '../database/cells/cells.ts'"],
      ['src/core/restore/a.ts', "import { a } from '../../database/transport/copy-client.ts'"],
      ['src/db/workspaces/workspaces.ts', 'sql`select cell from workspace`'],
      ['src/entrypoints/cli/a.ts', 'const { cell } = row'],
      ['src/main/a.ts', 'openCells()'],
    ],
  },
  {
    title: 'process.env is read in src/ground/config.ts only',
    rule: rules.environmentIsReadInConfig,
    bad: [
      ['src/core/x.ts', 'const port = process.env.PORT'],
      ['src/core/x.ts', "process['env'].PORT"],
      ['src/core/x.ts', 'const { env } = process'],
    ],
    good: [['src/ground/config.ts', 'process.env']],
  },
  {
    title: 'time is asked of src/ground/clock.ts',
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
    title: 'tests wait for a condition',
    rule: rules.testsWaitForConditions,
    bad: [
      ['test/core/x.test.ts', 'await service.clock.sleep(300)'],
      ['test/core/x.test.ts', 'await new Promise((resolve) => setTimeout(resolve, 50))'],
      ['test/core/x.test.ts', "import { setTimeout as sleep } from 'node:timers/promises'"],
      ['test/web/x.test.ts', 'await page.waitForTimeout(100)'],
      ['test/core/x.test.ts', 'const began = performance.now()'],
      ['test/core/x.test.ts', 'assert.ok(Date.now() - began < 5_000)'],
      ['test/core/x.test.ts', 'while (Date.now() < end) await look()'],
      ['test/core/x.test.ts', 'const stopping = AbortSignal.timeout(5_000)'],
      ['test/core/x.test.ts', 'const { user } = process.cpuUsage(before)'],
      ['test/core/x.test.ts', 'const delays = monitorEventLoopDelay({ resolution: 5 })'],
      ['test/core/x.test.ts', "test('quick', { timeout: 10_000 }, async () => undefined)"],
      ['test/core/x.test.ts', 'assert.ok(Math.abs(reset - Date.now() / 1000) < 70)'],
    ],
    good: [
      ['test/core/x.test.ts', 'await until(() => mails.length > 0)\n// no sleep(300)'],
      ['test/core/x.test.ts', 'const at = new Date(Date.now() + 3_600_000)'],
      ['test/core/x.test.ts', 'await fetch(url, { signal: AbortSignal.timeout(10_000) })'],
      ['test/core/x.test.ts', 'await createResolver({ timeoutMs: 300 }).resolve(name)'],
      ['test/support/until.ts', 'performance.now()'],
      ['src/ground/clock.ts', 'setTimeout(resolve, ms)'],
    ],
  },
  {
    title: 'tests of core ask through verbs',
    rule: rules.coreTestsAskVerbs,
    bad: [
      [
        'test/core/emails/x.test.ts',
        "import { insertMessage } from '../../../src/db/messages/messages.ts'",
      ],
    ],
    good: [
      [
        'test/core/emails/x.test.ts',
        "import { sql } from '../../../src/database/client/connect.ts'",
      ],
      [
        'test/core/emails/x.test.ts',
        "import type { MessageRow } from '../../../src/db/messages/messages.ts'",
      ],
      [
        'test/db/messages/x.test.ts',
        "import { insertMessage } from '../../../src/db/messages/messages.ts'",
      ],
    ],
  },
  {
    title: 'lines of SQL have at most 110 characters',
    rule: rules.linesOfSqlAreShort,
    bad: [
      ['src/db/users/x.ts', `sql\`\n${'x'.repeat(111)}\``],
      ['src/database/client/x.ts', `sql\`\n  select 1,\n${'x'.repeat(111)}\``],
    ],
    good: [
      ['src/db/users/x.ts', `sql\`\n${'x'.repeat(109)}\``],
      ['src/database/client/x.ts', `throw new Error(\n\`${'It did not answer. '.repeat(9)}\`)`],
      ['src/core/users/x.ts', 'x'.repeat(111)],
    ],
  },
  {
    title: 'SQL joins a number to text as text: the nodes of a cluster cannot read it otherwise',
    rule: rules.numbersAreJoinedAsText,
    bad: [
      ['src/db/users/x.ts', "sql`select 'h' || floor(hour / 4)::int`"],
      ['src/database/schema/migrations/0200_x.sql', "select 'd' || greatest(0, hour)::int as bar"],
    ],
    good: [
      ['src/db/users/x.ts', "sql`select 'h' || floor(hour / 4)::int::text`"],
      ['src/db/users/x.ts', "sql`select 'h' || name, hour::int`"],
    ],
  },
  {
    title: 'long statements open with the list of their steps',
    rule: rules.longStatementsHaveSteps,
    bad: [
      ['src/db/users/x.ts', `sql\`select ${'1,\n'.repeat(60)} 1\``],
      ['src/db/users/x.ts', `sql\`with a as (select 1)${', b as (select 1)'.repeat(8)} select 1\``],
    ],
    good: [
      ['src/db/users/x.ts', `// 1. One.\n// 2. Two.\nsql\`select ${'1,\n'.repeat(60)} 1\``],
      ['src/db/users/x.ts', `sql\`select \${'}'}\`\n${'1\n'.repeat(60)}`],
    ],
  },
  {
    title: 'columns of rows are named as those of tables',
    rule: rules.columnsHaveNoQuotes,
    bad: [['src/db/users/x.ts', 'sql`select created_at as "createdAt" from t`']],
    good: [
      ['src/db/users/x.ts', 'sql`select created_at as made_at, table_name as "table" from t`'],
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
      ['src/db/x.ts', 'for (; left > 0; left -- ) await db.run(sql`select now()`)'],
    ],
    good: [
      ['src/db/x.ts', 'sql`select facteur_now()`; performance.now()'],
      ['src/db/x.ts', 'sql`select 1\n-- never now()`'],
      [
        'migrations/0001_x.sql',
        'create function facteur_now() returns timestamptz language sql return clock_timestamp();\n-- never now()',
      ],
    ],
  },
]

for (const { title, rule, bad, good } of cases) {
  test(`${title}: the rule finds what breaks it and nothing else`, () => {
    for (const [path, text] of bad)
      assert.notDeepEqual(rule({ path, text }), [], `let pass: ${path}: ${text}`)
    for (const [path, text] of good) assert.deepEqual(rule({ path, text }), [])
  })
  test(`${title}: every file keeps it`, () => {
    assert.deepEqual([...files, ...tests].flatMap(rule), [])
  })
}

test('imports form no circle: the rule finds one, also of types', () => {
  const circle = [
    { path: 'src/core/a.ts', text: "import { b } from './b.ts'" },
    { path: 'src/core/b.ts', text: "import type { C } from './c.ts'" },
    { path: 'src/core/c.ts', text: "import { a } from './a.ts'" },
  ]
  assert.deepEqual(rules.importsFormNoCircle(circle), [
    'src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts',
  ])
  assert.deepEqual(rules.importsFormNoCircle(circle.slice(0, 2)), [])
})

test('imports form no circle: every file keeps it', () => {
  assert.deepEqual(rules.importsFormNoCircle(files), [])
})

const tables: ReadonlySet<string> = new Set(
  readFileSync('src/database/schema/schema.sql', 'utf8')
    .match(/^create (?:unlogged )?table \w+/gm)
    ?.map((line) => line.replace(/.* /, '')),
)

test('src/database names no table of the product: the rule finds one, and lets its own and the data of the schema be', () => {
  const finds = (path: string, text: string): number =>
    rules.databaseNamesNoProduct({ path, text }, tables).length
  assert.ok(tables.size > 80 && tables.has('recipient'))
  assert.equal(finds('src/database/cells/a.ts', 'sql`select 1 from recipient`'), 1)
  assert.equal(finds('src/database/cells/a.ts', "const late = ['due']"), 1)
  assert.equal(finds('src/database/cells/a.ts', 'sql`update cell set ahead = null` // from due'), 0)
  assert.equal(finds('src/database/schema/a.ts', "const late = ['due']"), 0)
})

test('src/database names no table of the product: every file keeps it', () => {
  assert.deepEqual(
    files.flatMap((file) => rules.databaseNamesNoProduct(file, tables)),
    [],
  )
})

test('folders form no circle: the rule finds one, and lets the order between them be', () => {
  const circle = [
    { path: 'src/db/campaigns/a.ts', text: "import type { B } from '../feedback/b.ts'" },
    { path: 'src/db/feedback/b.ts', text: '' },
    { path: 'src/db/feedback/c.ts', text: "import { d } from '../campaigns/counts/d.ts'" },
  ]
  assert.deepEqual(rules.foldersFormNoCircle(circle), [
    'src/db/campaigns → src/db/feedback → src/db/campaigns',
  ])
  assert.deepEqual(rules.foldersFormNoCircle(circle.slice(0, 2)), [])
  const pages = [
    { path: 'web/src/layout/A.tsx', text: "const page = import('../pages/users/B.tsx')" },
    {
      path: 'web/src/pages/users/B.tsx',
      text: "import { A } from '../../layout/A.tsx'\nimport '../../router.tsx'",
    },
  ]
  assert.deepEqual(rules.foldersFormNoCircle(pages), [
    'web/src/layout → web/src/pages → web/src/layout',
  ])
})

test('folders form no circle: every folder keeps it', () => {
  assert.deepEqual(rules.foldersFormNoCircle(files), [])
})

test('an exported name occurs once: the rule finds two, and lets the pages have their own', () => {
  const twice = ['src/a.ts', 'src/b.ts', 'web/src/a.ts'].map((path) => ({
    path,
    text: 'export const plan = 1',
  }))
  assert.deepEqual(rules.namesAreExportedOnce(twice), ['src plan: src/a.ts, src/b.ts'])
  assert.deepEqual(rules.namesAreExportedOnce(twice.slice(1)), [])
  const listed = { path: 'src/b.ts', text: 'const draft = 1\nexport {\n  draft as plan,\n}' }
  assert.deepEqual(rules.namesAreExportedOnce([...twice.slice(0, 1), listed]), [
    'src plan: src/a.ts, src/b.ts',
  ])
  const destructured = { path: 'src/b.ts', text: 'export const { plan } = read()' }
  assert.deepEqual(rules.namesAreExportedOnce([...twice.slice(0, 1), destructured]), [
    'src plan: src/a.ts, src/b.ts',
  ])
})

test('an exported name occurs once: every file keeps it', () => {
  assert.deepEqual(rules.namesAreExportedOnce(files), [])
})

test('the files are read at all', () => {
  assert.ok(files.length > 50)
  assert.ok(files.some(({ path }) => path.startsWith('migrations/')))
  assert.ok(files.some(({ path }) => path.startsWith('web/src/')))
})
