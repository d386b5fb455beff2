/**
 * The closed list of words that names no longer use, with the names that stand for them. The
 * glossary in CONTRIBUTING.md has the reasons.
 */
import { declaredNames } from './declared-names.ts'
import type { SourceFile } from './architecture-rules.ts'

interface RetiredWord {
  /** Names for its meanings. */
  instead: string
  /** Only the whole name is refused: a longer one says what it means. */
  isAlone?: true
}

/** In every declared name: private ones, and those of tests and benches. */
export const retiredWords: Record<string, RetiredWord> = {
  given: { instead: 'args, options, input, fields, settings', isAlone: true },
  asked: { instead: 'request, query, options', isAlone: true },
  found: { instead: 'match, row, result', isAlone: true },
  seen: { instead: 'known, observed, checked', isAlone: true },
  kept: { instead: 'stored, cached, remaining, renewed', isAlone: true },
  wanted: { instead: 'expected, filter, count', isAlone: true },
  said: { instead: 'output, text, message, sentence', isAlone: true },
  begun: { instead: 'started, unfinished, run', isAlone: true },
  made: { instead: 'created, built, or the name of the thing', isAlone: true },
  one: { instead: 'item, entry, or the name of the thing', isAlone: true },
  place: { instead: 'index, position, location, slot, path', isAlone: true },
  told: { instead: 'reported, described, notified' },
  tell: { instead: 'report, describe, notify' },
  held: { instead: 'leased, locked, withheld, paused, retained, buffered' },
  look: { instead: 'poll, scan, query, style, check' },
  looked: { instead: 'scanned, polled, queried, checked' },
  looks: { instead: 'polls, scans, styles' },
  looking: { instead: 'polling, scanning, querying' },
  flight: { instead: 'run, concurrent' },
  people: { instead: 'contacts, users' },
  person: { instead: 'contact, user' },
  visit: { instead: 'request, open, click, session' },
  visits: { instead: 'requests, engagements' },
  settle: { instead: 'finalize, complete' },
  settling: { instead: 'finalizing' },
  stray: { instead: 'unclaimed' },
  alongside: { instead: 'inSameTransaction, backgroundTask' },
  judge: { instead: 'validate, check, classify, evaluate' },
  mishap: { instead: 'failure' },
  theirs: { instead: 'the noun that it stands for' },
  owed: { instead: 'pending' },
}

/** `lookUp` is DNS's own verb. */
const goodNames = /^(?:create)?lookUp/i

/**
 * Where a name keeps such a word: fields of the contract and columns of tables, above all. The test
 * fails for a place that no longer has it.
 */
export const mayStandIn: Record<string, string> = {
  'src/core/audience/contacts/erase-contact.ts': 'kept',
  'src/core/audience/imports/engine/import-batch.ts': 'person',
  'src/core/audience/imports/engine/import-input.ts': 'person',
  'src/core/audience/imports/present-import.ts': 'people person',
  'src/core/audience/imports/run-import.ts': 'person',
  'src/core/audience/subscribers/source-of.ts': 'person',
  'src/core/campaigns/run/run-actions.ts': 'heldUntil',
  'src/core/domain-records/checked-record.ts': 'found',
  'src/core/domains/look-up-domain.ts': 'found',
  'src/core/domains/present-domain.ts': 'found',
  'src/core/input/shape-error.ts': 'found',
  'src/database/partitions/partition-upkeep.ts': 'made',
  'src/db/audience/consents.ts': 'person',
  'src/db/audience/contacts.ts': 'person',
  'src/db/audience/import-lists.ts': 'person',
  'src/db/audience/store-imported.ts': 'person',
  'src/db/audience/subscriber-files.ts': 'people person',
  'src/db/campaigns/campaign-recipient-pages.ts': 'place',
  'src/db/campaigns/campaign-recipients.ts': 'place',
  'src/db/campaigns/campaigns.ts': 'heldUntil',
  'src/db/domains/domain-records.ts': 'found',
  'src/db/events/events.ts': 'place',
  'src/db/retention/expire-rows.ts': 'place',
  'src/db/sending/tls-results.ts': 'held',
  'src/db/tracking/message-engagement.ts': 'place',
  'src/entrypoints/cli/backup-commands.ts': 'PLACE',
  'src/entrypoints/cli/campaign/campaign-commands.ts': 'heldUntil',
  'src/entrypoints/cli/restore/restore-command.ts': 'PLACE',
  'src/ground/address.ts': 'found',
  'src/mail/content/content-problems.ts': 'found',
  'test/db/workspaces-are-separate.test.ts': 'place',
  'test/support/fault-campaign.ts': 'place',
  'web/src/pages/campaigns/run/Notices.tsx': 'heldUntil',
  'web/src/pages/campaigns/run/run-state.ts': 'heldUntil',
}

/**
 * In paths, exported names, messages of the log and parts of statements, as regular expressions of
 * lower-case words. `settled` is a state; `at most` and `half closed` are plain English.
 */
export const retiredPhrases: Record<string, string> = {
  'judge[ds]?|judging|judgement': 'validate, check, classify, evaluate',
  news: 'feedback, delivery event',
  'tells?|told|telling|retell': 'describe, report',
  'people|persons?': 'users, contacts',
  'visits?': 'open, click, engagement, request',
  flight: 'run',
  'walks?': 'batch sender, traversal',
  standing: 'account status, reputation',
  'settles?|settling': 'finalize, complete',
  theirs: 'the noun that it stands for',
  mishap: 'failure',
  asides: 'background tasks',
  'brakes?': 'limit',
  owed: 'pending',
  octets: 'bytes',
  unheard: 'unsubscribed event types',
  'stairs|doors?|house': 'steps, entry point, architecture',
  'along|noting|noted': 'in the same transaction, stored',
  ahead: 'prefetched',
  anew: 'again',
  'tid(?:y|ies|ied|ying)|look(?:s|ed|ing)? after|car(?:e[ds]?|ing) for': 'maintain, clean up',
  '(?<!half )closed': 'suppressed',
  '(?<!at )(?:most|least)': 'max, min, limit',
}

/** `judgeFlight`, `JudgedNews` and `judge-flight` as words in lower case. */
export const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[-_./]/g, ' ')
    .toLowerCase()

export function declaredNamesAreNotRetired(file: SourceFile): string[] {
  if (!/^(?:src|web\/src|test)\/.*\.tsx?$/.test(file.path)) return []
  const listed = mayStandIn[file.path]?.split(' ') ?? []
  const retired = retiredNamesIn(file)
  return [
    ...retired
      .filter(({ name }) => !listed.includes(name))
      .map(({ name, instead }) => `${file.path}: ${name} has a retired word, use ${instead}`),
    ...listed
      .filter((listedName) => !retired.some(({ name }) => name === listedName))
      .map((name) => `${file.path}: ${name} is listed, and is not there`),
  ]
}

function retiredNamesIn(file: SourceFile): { name: string; instead: string }[] {
  if (!mayHold.test(file.text)) return []
  return declaredNames(file).flatMap((name) => {
    const words = wordsOf(name).trim().split(' ')
    const word = words.find((part) => isRetired(part, words.length === 1))
    if (word === undefined || goodNames.test(name)) return []
    return [{ name, instead: retiredWords[word]?.instead ?? '' }]
  })
}

/** Spares the parsing of a file that has none of the words. */
const mayHold = new RegExp(Object.keys(retiredWords).join('|'), 'i')

const isRetired = (word: string, isWhole: boolean): boolean =>
  Object.hasOwn(retiredWords, word) && (isWhole || !retiredWords[word]?.isAlone)
