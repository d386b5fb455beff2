/** Words that pages make of numbers, times and states, without a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acts } from '../../src/contract/audit-actions.ts'
import { eventTypes } from '../../src/contract/events.ts'
import { retentionClassNames } from '../../src/contract/retention.ts'
import { roles } from '../../src/contract/roles.ts'
import { allScopes } from '../../src/contract/scopes.ts'
import { suppressionReasons } from '../../src/contract/suppression.ts'
import {
  complianceReasons,
  complianceRequirements,
  complianceStates,
  enrolmentPrograms,
  mailReceivers,
} from '../../src/contract/compliance.ts'
import { deliveryStatuses } from '../../src/contract/webhooks.ts'
import { recordProblems } from '../../src/contract/workspace/domains.ts'
import { bulkActions } from '../../src/contract/workspace/bulk-changes.ts'
import {
  answerMeanings,
  happenings,
  messageStatuses,
} from '../../src/contract/workspace/messages.ts'
import { failureKinds, type WebhookHealth } from '../../src/contract/workspace/webhooks.ts'
import { nameFailure } from '../../src/core/webhooks/name-failure.ts'
import en from '../../web/src/texts/en.json' with { type: 'json' }
import fr from '../../web/src/texts/fr.json' with { type: 'json' }
import { keyOf } from '../../web/src/parts/key-of.ts'
import { sayDay, sayWhen } from '../../web/src/parts/say-time.ts'
import { sayDate } from '../../web/src/say-date.ts'
import { sayShareBelow } from '../../web/src/pages/overview/overview.ts'
import {
  leadOf,
  describeDetails,
  describeSubject,
} from '../../web/src/pages/users/describe-entry.ts'
import { sayFailure, sayHealth } from '../../web/src/pages/webhooks/words.ts'

/** By area, the words of the contract whose texts are named after them; `…Why` explains one. */
const worded: [keyof typeof en, string, readonly string[]][] = [
  ['users', 'act', acts],
  ['users', 'handOver', ['asked', 'no_sender', 'suspended', 'captured']],
  ['emails', 'status', [...messageStatuses, 'scheduled', 'canceled', 'in_doubt']],
  ['emails', 'happened', happenings],
  ['emails', 'means', answerMeanings],
  ['emails', 'cause', ['cancelled', 'erased', 'doubt_ended', 'parked']],
  ['emails', 'suppressed', suppressionReasons],
  ['emails', 'by', ['person', 'relay', 'scanner']],
  ['emails', 'knownBy', ['feedback', 'open', 'click', 'silence']],
  ['emails', 'hook', deliveryStatuses],
  ['webhooks', 'state', deliveryStatuses],
  ['webhooks', 'event', eventTypes],
  ['webhooks', 'failure', [...failureKinds, 'uri']],
  ['suppression', 'reason', suppressionReasons.flatMap((reason) => [reason, `${reason}_why`])],
  ['suppression', 'import', ['running', 'finished', 'failed', 'interrupted']],
  ['settings', 'key', ['active', 'expired', 'revoked']],
  ['settings', 'end', ['never', '30', '90', '365', 'day']],
  ['settings', 'scope', allScopes],
  ['settings', 'provider', ['local-capture', 'smtp-relay', 'direct-mx', 'amazon-ses', 'unusable']],
  ['settings', 'record', [...recordProblems, 'found', 'wrong', 'missing', 'unanswered']],
  [
    'settings',
    'record',
    ['dkim', 'return_path', 'spf', 'dmarc', 'tracking'].flatMap((each) => [each, `${each}_why`]),
  ],
  ['settings', 'demand', complianceRequirements],
  ['settings', 'demandGood', complianceRequirements],
  ['settings', 'demandReason', complianceReasons.filter((reason) => reason !== 'good')],
  ['settings', 'demandState', complianceStates],
  ['settings', 'receiver', mailReceivers],
  ['settings', 'program', enrolmentPrograms.flatMap((each) => [each, `${each}_why`])],
  ['shell', 'retained', retentionClassNames],
  ['settings', 'retained', retentionClassNames.map((name) => `${name}_what`)],
  ['bulk', 'does', bulkActions],
  ['settings', 'colour', ['background', 'text', 'button']],
]

test('every word that the service says of an act, a state or a reason has a text in both languages', () => {
  for (const [language, texts] of Object.entries({ en, fr })) {
    const missing = worded.flatMap(([area, prefix, words]) =>
      words
        .map((word) => keyOf(prefix, word))
        .flatMap((key) => (Object.hasOwn(texts[area], key) ? [] : [`${area}.${key}`])),
    )
    const missingRoles = roles.filter(
      (role) => !(role in texts.users) || !(`${role}May` in texts.users),
    )
    assert.deepEqual([...missing, ...missingRoles], [], language)
  }
})

test('an address is suppressed, in French "exclue", and never closed', () => {
  const closed = { en: /\b(?:clos(?:e|ed|es|ing)|reopen)/i, fr: /\bferm(?:er|é|ent)/i }
  const address = { en: /\baddress/i, fr: /\badresse/i }
  for (const language of ['en', 'fr'] as const) {
    const texts = { en, fr }[language]
    const wrong = Object.entries(texts).flatMap(([area, ofArea]) =>
      Object.entries(ofArea)
        .filter(
          ([, text]) =>
            closed[language].test(text) && (area === 'suppression' || address[language].test(text)),
        )
        .map(([key, text]) => `${area}.${key}: ${text}`),
    )
    assert.deepEqual(wrong, [], language)
  }
})

const now = new Date('2026-11-21T12:00:00Z')
const when = (seconds: number, language = 'en'): string =>
  sayWhen(new Date(now.getTime() + seconds * 1_000), { now, language, justNow: 'just now' })

test('a future time shows its distance; a moment ago is just now', () => {
  assert.equal(when(30), 'in 30 seconds')
  assert.equal(when(30, 'fr'), 'dans 30 secondes')
  assert.equal(when(90), 'in 1 minute')
  assert.equal(when(-30), 'just now')
  assert.equal(when(2), 'just now', 'clocks differ')
  assert.equal(when(-7_200), '2 hours ago')
})

test('the first of a month is the "1er" in French', () => {
  const first = new Date('2026-12-01T00:00:00Z')
  assert.equal(sayDay(first, 'fr', 'UTC'), '1er décembre 2026')
  assert.equal(sayDay(new Date('2026-12-11T00:00:00Z'), 'fr', 'UTC'), '11 décembre 2026')
  assert.equal(sayDay(first, 'en-GB', 'UTC'), '1 December 2026')
  const short = { timeZone: 'UTC', day: 'numeric', month: 'short' } as const
  assert.equal(sayDate(first, 'fr', short), '1er déc.')
  assert.equal(
    sayDate(first, 'fr', { timeZone: 'UTC', dateStyle: 'full' }),
    'mardi 1er décembre 2026',
  )
  assert.equal(sayDate(first, 'fr', { timeZone: 'UTC' }), '01/12/2026')
})

test('a share near its bound is not rounded to it', () => {
  assert.equal(sayShareBelow(0.000985, 0.001, 'en'), '0.099%')
  assert.equal(sayShareBelow(0.001, 0.001, 'en'), '0.1%')
  assert.equal(sayShareBelow(0.0004, 0.001, 'en'), '0.04%')
  assert.equal(sayShareBelow(0.04996, 0.05, 'en'), '4.996%')
})

test('a webhook whose last call failed and is tried again is not healthy', () => {
  const health = { disabled: null, failing_since: null, failed: 0, delivered: 9 }
  const failure = { kind: 'answered', status: 500, error: '', at: now.toISOString() }
  const of = (next: string | null): string =>
    sayHealth({ ...health, last_failure: { ...failure, next_attempt_at: next } } as WebhookHealth)
      .key
  assert.equal(of(now.toISOString()), 'retrying')
  assert.equal(of(null), 'healthy')
})

test('a 2xx whose answer is not whole: the time passed, or the connection broke at once', () => {
  const output = (error: string) => {
    const failure = nameFailure({ error, status: 200 })
    return failure && sayFailure(failure, ((key: string) => Reflect.get(en.webhooks, key)) as never)
  }
  assert.match(
    output('answered 200, but the body did not end within 15 seconds (ETIMEDOUT)') ?? '',
    /not complete within 15 seconds/,
  )
  const broken = output(
    'answered 200, but the connection failed before the body ended (ECONNRESET)',
  )
  assert.match(broken ?? '', /connection broke/)
  assert.doesNotMatch(broken ?? '', /15 seconds/)
})

test('the audit log describes each entry in words, and links to its object', () => {
  const words: Record<string, string> = {
    detail_role: 'Role',
    value_viewer: 'Viewer',
    detail_mailed: 'By mail',
    yes: 'Yes',
    everybody: 'Everybody',
  }
  const say = (key: string, { name = '', value = '' }: Record<string, string> = {}): string =>
    key === 'detail' ? `${name}: ${value}` : (words[key] ?? '')
  const details = { role: 'viewer', mailed: true, kept: null, id: '7d2a', campaign: 'c1' }
  assert.deepEqual(describeDetails({ details }, say, 'en'), ['Role: Viewer', 'By mail: Yes'])
  assert.equal(describeSubject({ act: 'subscribers.exported', subject: '' }, say), 'Everybody')
  assert.equal(leadOf({ act: 'campaign.sent', subject: 'News', details }), 'campaigns/c1')
  assert.equal(leadOf({ act: 'key.revoked', subject: 'CI', details: {} }), null)
})
