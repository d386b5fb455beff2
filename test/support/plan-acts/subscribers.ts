/** The statements of an audience, and a workspace that has 60,000 subscribers. */
import assert from 'node:assert/strict'
import { traitsAsked } from '../../../src/core/audience/subscribers/traits.ts'
import { gramsOf, readNeedle } from '../../../src/core/search-text.ts'
import { indexedPage } from '../../../src/db/audience/segments/audience-pages.ts'
import { lastOpened } from '../../../src/db/audience/engagement-dates.ts'
import { foldStatusTally, statusChanges } from '../../../src/db/audience/status-tally.ts'
import { countNotReached, countMissingValues } from '../../../src/db/audience/audience-counts.ts'
import { findAnswer, insertAnswer } from '../../../src/db/audience/keyed-answers.ts'
import {
  confirmationPaceOf,
  takeConfirmationTimes,
} from '../../../src/db/audience/confirmation-pace.ts'
import {
  insertBatch,
  knownSubscribers,
  updateBatch,
} from '../../../src/db/audience/subscriber-batches.ts'
import { askingOf, insertConsents } from '../../../src/db/audience/consents.ts'
import { raiseSubscribersDue } from '../../../src/db/sending/due.ts'
import { insertNotices, notifierOf } from '../../../src/db/sending/notices.ts'
import {
  makeFields,
  makeTags,
  undefinedFields,
} from '../../../src/db/audience/subscriber-fields.ts'
import {
  countSample,
  searchIndexed,
  searchedTexts,
  subscriberPage,
  takeUnsearched,
  unsearchedPage,
  writeSearched,
} from '../../../src/db/audience/subscriber-search.ts'
import {
  addTraits,
  dropTraits,
  endOfWindow,
  nextOnLists,
  markUntraited,
  subscribersInWindow,
} from '../../../src/db/audience/subscriber-traits.ts'
import {
  countReachable,
  editSubscriberRow,
  foldTally,
  insertSubscriber,
  lockSubscriber,
  updateSubscriberStatuses,
  subscribe,
  subscriberByEmail,
  subscriberById,
  subscriberStatusOf,
  updateSubscriber,
} from '../../../src/db/audience/subscribers.ts'
import { liftUnsubscribe, lockSuppression } from '../../../src/db/suppression/suppressions.ts'
import type { Acts, PlannedArea } from '../plans.ts'

export const many = 60_000
const big = [
  'subscriber',
  'subscriber_search',
  'subscriber_search_pending',
  'subscriber_trait',
  'subscriber_status_tally',
  'consent_evidence',
  'suppression',
  'platform_suppression',
  'due',
]
export const w = 1
export const idOf = (number: number): string =>
  `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
const hundred = Array.from({ length: 100 }, (_, index) => index)
export const page = { status: null, max: 51, before: null }
const sorted = { status: null, position: null, max: 51 }
const deep = { id: idOf(many / 2), email: 'p3@example.com' }
const [all = 0] = traitsAsked({ source: 'api' })
const [old = 0] = traitsAsked({ tag: 'old' })
const [even = 0] = traitsAsked({ tag: 'even' })
const [odd = 0] = traitsAsked({ field: 'odd' })
export const scan = { ...page, lead: null, traits: [], patterns: null, upTo: null, window: 1_000 }
export const needleOf = (q: string) => readNeedle(w, q) ?? assert.fail('nothing to look for')

const contact = {
  ...({
    id: idOf(900_000),
    email: 'new@example.com',
    status: 'pending',
    confirmation: true,
    firstName: 'A',
    lastName: null,
  } as const),
  ...({ tags: ['t'], fields: { f: 'x' }, source: 'api' } as const),
}
const consent = (number: number) => ({
  ...({
    id: idOf(900_000 + number),
    subscriberId: idOf(number),
    email: 'x@example.com',
    act: 'asked',
    shown: null,
    source: 'api',
  } as const),
  ...{ ip: null, userAgent: null, apiKeyId: null, messageId: null, campaignId: null },
})
const notice = (number: number) => ({
  ...{
    id: idOf(910_000 + number),
    head: '{}',
    subject: 's',
    messageId: 'x@big.test',
    html: 'h',
    text: 't',
  },
  ...{ email: 'x@example.com', key: 'x@example.com', passesUnsubscribe: true },
  leavesAt: new Date('2026-11-21T08:30:00Z'),
})
const ofBatch = (email: string) => ({
  ...{ email, firstName: 'B', lastName: null, tags: '["u"]', fields: '{"f":"x"}' },
  askedAt: new Date('2026-11-21T08:30:00Z'),
})
const change = {
  email: 'p7@example.com',
  firstName: 'B',
  lastName: undefined,
  tags: ['u'],
  fields: { f: '' },
  askAfterSeconds: 1,
}

const acts: Acts = {
  'add a subscriber': (db) => insertSubscriber(db, w, contact),
  'add one who is there': (db) => insertSubscriber(db, w, { ...contact, email: 'p7@example.com' }),
  'update a subscriber': (db) => updateSubscriber(db, w, change),
  'read by address': (db) => subscriberByEmail(db, w, 'p7@example.com'),
  'read by identifier': (db) => subscriberById(db, w, idOf(7)),
  'check an address': (db) => subscriberStatusOf(db, w, 'p7@example.com'),
  'move a hundred': (db) =>
    updateSubscriberStatuses(
      db,
      w,
      hundred.map((number) => ({ email: `p${number}@example.com`, becomes: 'bounced' as const })),
    ),
  lock: (db) => lockSubscriber(db, w, idOf(7)),
  subscribe: (db) => subscribe(db, w, idOf(20)),
  'count whom a campaign reaches': (db) => countReachable(db, w),
  'count who lacks a value': (db) =>
    countMissingValues(db, { workspaceId: w, tags: ['firstName', 'fields.city'], max: 2_000 }),
  'count who is held back': (db) => countNotReached(db, w, 2_000),
  'fold the tally': (db) => foldTally(db, w, 50),
  'fold the tally by status': (db) =>
    foldStatusTally(db, w, { rowsMin: 100, days: 90, max: 5_000 }),
  'read the totals': (db) => statusChanges(db, w, 30),
  'list by address': (db) => indexedPage(db, w, { ...sorted, sort: 'email' }),
  'list by address from the end, deep': (db) =>
    indexedPage(db, w, { ...sorted, sort: '-email', position: deep }),
  'list the oldest': (db) => indexedPage(db, w, { ...sorted, sort: 'created' }),
  'list the oldest of a status, deep': (db) =>
    indexedPage(db, w, { ...sorted, status: 'pending', sort: 'created', position: deep }),
  'read when a page last opened': (db) => lastOpened(db, w, hundred.map(idOf)),
  'keep consents': (db) => insertConsents(db, w, hundred.map(consent)),
  'read what was asked': (db) => askingOf(db, w, { consentId: idOf(7), subscriberId: idOf(7) }),
  'read the state of a batch': (db) =>
    knownSubscribers(
      db,
      w,
      hundred.map((number) => `p${number}@example.com`),
    ),
  'add a batch': (db) =>
    insertBatch(
      db,
      w,
      hundred.map((number) => ({
        ...{ ...ofBatch(`batch${number}@example.com`), id: idOf(930_000 + number) },
        ...{ status: 'pending' as const, source: 'api' as const },
      })),
    ),
  'change a batch': (db) =>
    updateBatch(
      db,
      w,
      hundred.map((number) => ({
        ...ofBatch(`p${number}@example.com`),
        ...{ keepsFirst: false, keepsLast: true, cleared: '["f"]' },
      })),
      3_600,
    ),
  'take times of confirmations': (db) => takeConfirmationTimes(db, w, 100),
  'read the pace of confirmations': (db) => confirmationPaceOf(db, w),
  'keep an answer': (db) =>
    insertAnswer(db, w, { key: 'batch-1', fingerprint: Buffer.from('f'), answer: '{}' }),
  'find an answer': (db) => findAnswer(db, w, 'batch-1'),
  'admit notices': (db) => insertNotices(db, w, hundred.map(notice)),
  'find who asks': (db) => notifierOf(db, w),
  'hold an entry': (db) => lockSuppression(db, w, 'gone7@example.com'),
  'lift an unsubscribe': (db) => liftUnsubscribe(db, w, 'gone7@example.com'),
  'make tags': (db) => makeTags(db, w, ['a', 'b']),
  'look for fields': (db) => undefinedFields(db, w, ['a', 'b']),
  'make fields': (db) => makeFields(db, w, ['a', 'b']),
  list: (db) => subscriberPage(db, w, page),
  'list, deep': (db) => subscriberPage(db, w, { ...page, before: idOf(1_000) }),
  'list by status': (db) => subscriberPage(db, w, { ...page, status: 'pending' }),
  'list by a status, deep': (db) =>
    subscriberPage(db, w, { ...page, status: 'subscribed', before: idOf(1_000) }),
  'look through the newest': (db) =>
    subscribersInWindow(db, w, { ...scan, patterns: needleOf('rare').patterns }),
  'look through the newest of a status': (db) =>
    subscribersInWindow(db, w, {
      ...scan,
      status: 'subscribed',
      patterns: needleOf('rare').patterns,
    }),
  'look through a part for what is common': (db) =>
    subscribersInWindow(db, w, { ...scan, patterns: needleOf('example').patterns }),
  'see whether something is common': (db) => countSample(db, w, needleOf('example'), 16),
  'see whether something is rare': (db) => countSample(db, w, needleOf('rare'), 16),
  'search what is rare': (db) => searchIndexed(db, w, needleOf('rare'), page),
  'search what is rare in a status': (db) =>
    searchIndexed(db, w, needleOf('rare'), { ...page, status: 'subscribed' }),
  'search what nobody has': (db) => searchIndexed(db, w, needleOf('nobody'), page),
  'search by two letters': (db) => searchIndexed(db, w, needleOf('ra'), page),
  'look at who came a moment ago': (db) =>
    unsearchedPage(db, w, { ...page, before: idOf(many), status: 'subscribed' }),
  'take notes': (db) => takeUnsearched(db, w, 2_000),
  'read texts': (db) => searchedTexts(db, w, hundred.map(idOf)),
  'write texts': (db) =>
    writeSearched(
      db,
      w,
      hundred.map((number) => ({
        id: idOf(number),
        haystack: '\nx\n\n',
        grams: gramsOf(w, '\nx\n\n'),
        traits: [1, 2],
      })),
    ),
  'add traits': (db) =>
    addTraits(
      db,
      w,
      hundred.map((number) => ({ id: idOf(number), trait: 9 })),
    ),
  'drop traits': (db) =>
    dropTraits(
      db,
      w,
      hundred.map((number) => ({ id: idOf(number), trait: all })),
    ),
  'note who has no traits': (db) => markUntraited(db, w, 2_000),
  'walk a trait': (db) => subscribersInWindow(db, w, { ...scan, lead: all }),
  'walk a trait that the oldest have': (db) =>
    subscribersInWindow(db, w, { ...scan, lead: old, status: 'subscribed', traits: [all] }),
  'walk a status for a trait': (db) =>
    subscribersInWindow(db, w, { ...scan, status: 'bounced', traits: [all] }),
  'walk everybody for a name': (db) =>
    subscribersInWindow(db, w, {
      ...scan,
      patterns: needleOf('rare').patterns,
      before: idOf(many),
    }),
  'see who is next on each list': (db) =>
    nextOnLists(db, w, { traits: [all, old], status: 'subscribed', before: null, skip: 1_000 }),
  'end of a walk': (db) => endOfWindow(db, w, { ...scan, lead: all }),
  'search what is rare with a trait': (db) =>
    searchIndexed(db, w, needleOf('rare'), { ...page, traits: [all] }),
  'edit by hand': (db) =>
    editSubscriberRow(db, w, {
      ...{ id: idOf(7), firstName: 'N', lastName: undefined },
      tags: ['t'],
      removed: ['u'],
      fields: { f: '' },
    }),
  'raise due of subscribers': (db) => raiseSubscribersDue(db, w),
}

const numbers = (list: number[]): string => `array[${list.join()}]`
const common = numbers(gramsOf(w, '\np@example.com\n\n'))
const rare = numbers(gramsOf(w, '\np@example.com\nrare\n'))

const fill = [
  `insert into subscriber (workspace_id, id, email, tags, fields, status, created_at, updated_at)
   select 1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'p' || n || '@example.com', array_remove(array[case when n <= ${many / 2} then 'old' end, case when n % 2 = 0 then 'even' end], null),
     case when n % 2 = 1 or n <= 1000 then '{"odd":"x"}' else '{}' end::jsonb,
     case when n % 20 = 0 then 'pending' when n % 1000 = 1 then 'bounced' else 'subscribed' end, facteur_now(), facteur_now()
   from generate_series(1, ${many}) n`,
  `insert into subscriber_search (workspace_id, subscriber_id, haystack, grams)
   select 1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, case when n % 10000 = 7 then E'\\np@example.com\\nrare\\n' else E'\\np@example.com\\n\\n' end,
     case when n % 10000 = 7 then ${rare} else ${common} end
   from generate_series(1, ${many}) n`,

  // Of five thousand workspaces one has nearly everybody: what is true on the average is true of
  // none.
  `insert into subscriber_search (workspace_id, subscriber_id, haystack, grams)
   select n, gen_random_uuid(), E'\\np@example.com\\n\\n', array[n] from generate_series(2, 5000) n`,
  `insert into subscriber_search_pending select 1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid from generate_series(1, 5000) n`,
  // One trait that all have, one that the oldest half has, and those of others.
  `insert into subscriber_trait (workspace_id, trait, subscriber_id)
   select 1, t, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid from generate_series(1, ${many}) n, unnest(array[${all}, ${old}, ${even}, ${odd}]::bigint[]) t
   where t = ${all} or t = ${old} and n <= ${many / 2} or t = ${even} and n % 2 = 0 or t = ${odd} and (n % 2 = 1 or n <= 1000)`,
  `insert into subscriber_trait (workspace_id, trait, subscriber_id) select n, ${all}, gen_random_uuid() from generate_series(2, 5000) n`,
  `insert into consent_evidence (workspace_id, id, subscriber_id, email, act, source, at)
   select 1, id, id, email, 'asked', 'api', created_at from subscriber`,
  `insert into subscriber_tally (workspace_id, change) select 1, 1 from generate_series(1, 200)`,
  `insert into subscriber_status_tally (workspace_id, status, day, change)
   select 1, 'subscribed', current_date - n % 60, 1 from generate_series(1, 400) n`,
  `insert into due select n, 'subscribers', facteur_now() + interval '1 hour' from generate_series(2, 20000) n`,
  `insert into due values (1, 'subscribers', facteur_now())`,
]

export const subscribers: PlannedArea = {
  acts,
  answer: { next: new Date(), name: null, email: null },
  rows: many,
  big,
  // A count compares its subscribers with each address that the installation suppresses.
  readMax: (act, table) =>
    table === 'platform_suppression' && act.startsWith('count who') ? 50_000 : 6_000,
  prepare: '',
  fill,
}
