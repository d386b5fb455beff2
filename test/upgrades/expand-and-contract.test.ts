/** Migrations that are newer than the previous release only expand: its processes go on with their statements. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrationsFolder, readMigrations, type Migration } from '../../src/db/connection/migration-files.ts'
import { rules, tablesMade, type Known } from './expansion-rules.ts'
import { previousRelease, whyNoPreviousRelease } from './previous-program.ts'

const skip = whyNoPreviousRelease() ?? false
const root = join(import.meta.dirname, '..', '..')
const newer = readMigrations(migrationsFolder).filter(({ name }) => name > previousRelease.migration)

/** A file whose text breaks a rule, by the rule. */
const broken: Record<keyof typeof rules, string[]> = {
  dropsOnlyWhatIsUnused: [
    'alter table message drop column subject',
    'alter table message add column more text, drop column if exists subject',
    'drop table message',
    'drop function if exists facteur_now(), facteur_now(int)',
    "do $$ begin execute 'alter table message drop column subject'; end $$",
  ],
  renamesLeaveAView: [
    'alter table message rename to mail',
    'alter table message rename column subject to title',
    'alter table message rename subject to title',
    "do $$ begin execute format('alter table %I rename to %I', 'message', 'mail'); end $$",
  ],
  acceptsFormerRows: [
    'alter table message add column must text not null',
    'alter table message add must text not null',
    'alter table message alter column tags set not null',
    'alter table message alter column tags drop default',
    'alter table message add constraint long check (length(subject) > 3) not valid',
    '-- outside a transaction\ncreate unique index concurrently if not exists message_subject on message (subject)',
  ],
  locksForMomentsOnly: [
    'create index message_subject on message (subject)',
    'alter table message alter column subject type varchar',
    'alter table message add column at timestamptz not null default facteur_now()',
    'alter table message add constraint long check (length(subject) > 3)',
    'alter table message alter column subject set not null',
    'alter table message set logged',
  ],
  changesRowsBeforeItLocks: ["alter table message add column more text; update message set more = ''"],
  canStartAgain: [
    '-- outside a transaction\ncreate table one (n int);',
    '-- outside a transaction\ncreate index concurrently message_subject on message (subject);',
    '-- outside a transaction\nalter table message add column more text;',
    '-- outside a transaction\ndrop index message_subject;',
  ],
}

const fileOf = (text: string): Migration => ({ name: '9999_broken.sql', text, hash: '' })
const every: Known = { made: new Set(), isUsed: () => true }

for (const [name, rule] of Object.entries(rules))
  test(`${name}: each text that breaks it is found`, () => {
    for (const text of broken[name as keyof typeof rules]) assert.notDeepEqual(rule(fileOf(text), every), [], text)
  })

/** They expand, and pass every rule. */
const good = [
  "alter table message add column more text not null default ''",
  'alter table message add column more text, add column if not exists further int default 0 not null',
  'alter table message add column more text; alter table message rename column more to less; create view message as select 1',
  "alter table recipient drop constraint if exists recipient_lane_check; alter table recipient add constraint recipient_lane_check check (lane in ('a')) not valid",
  '-- outside a transaction\ncreate index concurrently if not exists message_subject on message (subject);\nalter table message validate constraint long;',
  'update message set subject = subject; alter table message add column more text',
  'create table one (n int not null); create unique index one_n on one (n); insert into one values (1); alter table one add column m int not null',
]

test('files that expand pass', () => {
  for (const text of good) {
    const known = { ...every, made: tablesMade([fileOf(text)]) }
    assert.deepEqual(
      Object.values(rules).flatMap((rule) => rule(fileOf(text), known)),
      [],
      text,
    )
  }
})

test('no migration newer than the previous release takes anything away from its processes, or holds them up', { skip }, () => {
  const known = { made: tablesMade(newer), isUsed: isInPreviousRelease }
  const wrong = newer.flatMap((file) =>
    Object.values(rules).flatMap((rule) => rule(file, known).map((what) => `${file.name} ${what}`)),
  )
  assert.deepEqual(wrong, [])
})

/** A word anywhere in the sources counts: a column may be named by many statements. */
function isInPreviousRelease(word: string): boolean {
  try {
    execFileSync('git', ['grep', '--quiet', '--word-regexp', '--fixed-strings', word, previousRelease.commit, '--', 'src'], {
      cwd: root,
    })
    return true
  } catch (error) {
    // git grep: 1 is "nothing found".
    if (error instanceof Error && 'status' in error && error.status === 1) return false
    throw error
  }
}
