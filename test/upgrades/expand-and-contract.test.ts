/**
 * Migrations that are newer than the previous release only expand: its processes go on with their
 * statements.
 */
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from '../../src/database/client/connect.ts'
import type { Database } from '../../src/database/client/database.ts'
import { migrate } from '../../src/database/schema/migrate.ts'
import {
  migrationNames,
  migrationsFolder,
  readMigrations,
  type Migration,
} from '../../src/database/schema/migration-files.ts'
import { emptyDatabase, freshDatabase } from '../support/database.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { rules, tablesMade, type Known } from './expansion-rules.ts'
import {
  previousRelease,
  previousSources,
  readHistory,
  whyNoPreviousRelease,
} from './previous-program.ts'
import {
  findBreaks,
  namesRelation,
  readShape,
  type Former,
  type SchemaShape,
} from './schema-shape.ts'

const skip = whyNoPreviousRelease() ?? false
const newer = readMigrations(migrationsFolder).filter(
  ({ name }) => name > previousRelease.migration,
)

/** A file whose text breaks a rule, by the rule. */
const broken: Record<keyof typeof rules, string[]> = {
  locksForMomentsOnly: [
    'create index message_subject on message (subject)',
    'alter table message alter column subject type varchar',
    'alter table message add column at timestamptz not null default facteur_now()',
    'alter table message add constraint long check (length(subject) > 3)',
    'alter table message alter column subject set not null',
    'alter table message set logged',
  ],
  changesRowsBeforeItLocks: [
    "alter table message add column more text; update message set more = ''",
  ],
  canStartAgain: [
    '-- outside a transaction\ncreate table one (n int);',
    '-- outside a transaction\ncreate index concurrently message_subject on message (subject);',
    '-- outside a transaction\nalter table message add column more text;',
    '-- outside a transaction\ndrop index message_subject;',
  ],
}

const fileOf = (text: string): Migration => ({ name: '9999_broken.sql', text, hash: '' })
const every: Known = { created: new Set() }

for (const [name, rule] of Object.entries(rules))
  test(`${name}: each text that breaks it is found`, () => {
    for (const text of broken[name as keyof typeof rules])
      assert.notDeepEqual(rule(fileOf(text), every), [], text)
  })

/** They expand, and pass every rule. */
const good = [
  "alter table message add column more text not null default ''",
  'alter table message add column more text, add column if not exists further int default 0 not null',
  "alter table recipient drop constraint if exists recipient_lane_check; alter table recipient add constraint recipient_lane_check check (lane in ('a')) not valid",
  '-- outside a transaction\ncreate index concurrently if not exists message_subject on message (subject);\nalter table message validate constraint long;',
  'update message set subject = subject; alter table message add column more text',
  'create table one (n int not null); create unique index one_n on one (n); insert into one values (1); alter table one add column m int not null',
]

test('files that expand pass', () => {
  for (const text of good) {
    const known = { ...every, created: tablesMade([fileOf(text)]) }
    assert.deepEqual(
      Object.values(rules).flatMap((rule) => rule(fileOf(text), known)),
      [],
      text,
    )
  }
})

test('no migration newer than the previous release holds its processes up', { skip }, () => {
  const known = { created: tablesMade(newer) }
  const wrong = newer.flatMap((file) =>
    Object.values(rules).flatMap((rule) => rule(file, known).map((what) => `${file.name} ${what}`)),
  )
  assert.deepEqual(wrong, [])
})

/** Statements that take something from processes of the previous release, by what is found. */
const taking: [text: string, found: RegExp][] = [
  ['alter table message drop column subject', /^message.subject is gone/],
  [
    "do $$ begin execute 'alter table message drop column subject cascade'; end $$",
    /^message.subject is gone/,
  ],
  ['alter table message rename subject to title', /^message.subject is gone/],
  [
    "do $$ begin execute format('alter table %I rename to %I', 'message', 'mail'); end $$",
    /^message\.\w+ is gone/,
  ],
  ['drop table suppression', /^suppression\.\w+ is gone/],
  ['drop function facteur_now() cascade', /^facteur_now\(\) is gone/],
  ['drop sequence event_order cascade', /^event_order\(\) is gone/],
  [
    'alter table campaign alter column subject type varchar(10)',
    /^campaign.subject was text and is character varying\(10\)$/,
  ],
  [
    "alter table message add column must text not null default ''; alter table message alter column must drop default",
    /^message.must is new/,
  ],
  [
    'alter table message alter column scheduled_at set not null',
    /^message.scheduled_at may no longer be null$/,
  ],
  [
    'alter table recipient alter column attempts drop default',
    /^recipient.attempts has lost its default$/,
  ],
  [
    'alter table message add constraint long check (length(subject) > 3) not valid',
    /^message: long is new/,
  ],
  [
    "alter table held_work drop constraint held_work_kind_check, add constraint held_work_kind_check check (kind in ('campaign')) not valid",
    /^held_work: held_work_kind_check no longer allows/,
  ],
  ['create unique index on message (subject)', /is a new unique key/],
  [
    "do $$ begin execute 'create unique index on suppression (email) where true'; end $$",
    /is a new unique key/,
  ],
  [
    'alter table suppression drop constraint suppression_pkey',
    /is no longer a unique key, and nothing says why$/,
  ],
]

test('what a change of the schema takes from former processes is found, however its statement is written', async (t) => {
  const { connection: db } = await freshDatabase(t)
  const before = await readShape(db)
  const former: Former = { isUsed: () => true, isRead: () => true, keysGone: {} }
  for (const [text, result] of taking) {
    const after = await shapeAfter(db, text)
    assert.match(findBreaks(before, after, former).join('\n'), new RegExp(result, 'm'), text)
  }
  const harmless =
    'alter table message add column more text; alter table message rename to mail; create view message as select * from mail'
  assert.deepEqual(findBreaks(before, await shapeAfter(db, harmless), former), [])
})

test('a relation is read where a statement names it, and a word of the program is none', () => {
  for (const text of [
    'select from image',
    'select from message m, image i',
    'insert into image (id) values (1)',
    'update only image set id = 1',
    'select from message join ${home}image using (id)',
    'lock table image in share mode',
  ])
    assert.ok(namesRelation(text)('image'), text)
  for (const text of ["import { image } from './image.ts'", 'const image = 1', 'from image_file'])
    assert.ok(!namesRelation(text)('image'), text)
})

/** The change itself is taken back. */
async function shapeAfter(
  db: { transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> },
  text: string,
): Promise<SchemaShape> {
  let shape: SchemaShape | undefined
  const takeBack = new Error('taken back')
  const change = db.transaction(async (tx) => {
    for (const entry of text.startsWith('do') ? [text] : text.split('; '))
      await tx.ask({ name: '', text: entry, values: [] })
    shape = await readShape(tx)
    throw takeBack
  })
  await assert.rejects(change, takeBack)
  return shape ?? assert.fail('no shape')
}

/**
 * Keys that no `on conflict` of the previous release names (former-keys.test.ts), and why it
 * doubles nothing without them.
 */
const keysGone = {
  batch_sender: 'each has an identifier of its own',
  campaign_run: 'the freeze inserts it, once and with its campaign locked',
  event: 'a sequence gives its places',
  feedback: 'a trigger refuses the second one (0054)',
  raw_notice: 'a trigger refuses the second one (0054)',
  request_rate:
    'of two counters that the first call makes in both versions at once, either refuses what is too much',
}

/** A scheduled campaign that it refuses waits for a process of this version. */
const refused = {
  'campaign: campaign_targeted_is_frozen':
    'the previous release knows neither audiences nor topics, and would send to everybody',
}

test(
  'the present schema has what the previous release reads, and takes what it writes',
  { skip },
  async (t) => {
    const url = await emptyDatabase(t)
    const folder = makeTemporaryFolder('migrations')
    for (const name of migrationNames(migrationsFolder))
      if (name <= previousRelease.migration)
        cpSync(join(migrationsFolder, name), join(folder, name))
    await migrate(url, { folder })
    const db = connect({ connectionString: url, poolSize: 1 })
    t.after(() => db.end())
    const before = await readShape(db)
    await migrate(url)
    assert.deepEqual(
      findBreaks(before, await readShape(db), {
        isUsed: isInPreviousRelease,
        isRead: namesRelation(previousSources().join('\n')),
        keysGone,
        refused,
      }),
      [],
    )
  },
)

/** A word anywhere in the sources counts: a column may be named by many statements. */
const sources = skip
  ? ''
  : readHistory(['grep', '--no-line-number', '-h', '', previousRelease.commit, '--', 'src'])
const words = new Set(sources.match(/\w+/g))
function isInPreviousRelease(word: string): boolean {
  return words.has(word)
}
