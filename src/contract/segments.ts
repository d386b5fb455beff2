/**
 * Defines segments of the audience: a definition is a condition over a contact, in JSON. Members
 * write it in the pages and by the command line; no key does.
 */
import type { FieldType } from './field-types.ts'
import type { SubscriberStatus } from './subscribers.ts'
import type { subscriberSources } from './workspace/audience.ts'
import type { RecipientLanguage } from '../ground/texts/languages.ts'

/** A condition that holds for a contact or does not; it is never unknown. */
export type Condition = Group | SingleCondition

/** `all` of nothing and `none` of nothing hold for everybody, `any` of nothing for nobody. */
export type Group = { all: Condition[] } | { any: Condition[] } | { none: Condition[] }

export type SingleCondition =
  | { tag: string }
  | FieldCondition
  | { status: SubscriberStatus }
  | { source: SubscriberOrigin; form?: string }
  | { language: RecipientLanguage }
  | DateCondition
  | EngagementCondition

type SubscriberOrigin = (typeof subscriberSources)[number]

/**
 * `within_days` of a field: today, or one of so many days before, by the workspace's time zone at the
 * count or the freeze. The field by its key where a caller writes it, and by its identifier where it is stored. */
export type FieldCondition = { field: string } & FieldTest

export type FieldTest =
  | { is: string }
  | { is_not: string }
  | { contains: string }
  | { before: string }
  | { after: string }
  | { above: string }
  | { below: string }
  | { within_days: number }
  | { empty: boolean }

export type FieldOperator = FieldTest extends infer Test
  ? Test extends unknown
    ? keyof Test
    : never
  : never

/** Which operators compare the values of a type; `is` and `is_not` compare those of each. */
export const fieldOperators = {
  text: ['is', 'is_not', 'contains', 'empty'],
  number: ['is', 'is_not', 'above', 'below', 'empty'],
  date: ['is', 'is_not', 'before', 'after', 'within_days', 'empty'],
  boolean: ['is', 'is_not', 'empty'],
  choice: ['is', 'is_not', 'empty'],
} as const satisfies Record<FieldType, readonly FieldOperator[]>

/**
 * Dates of a contact: added to the list; subscribed, for those who are; confirmed by a link; the
 * latest evidence of a consent; left.
 */
export const contactDates = [
  'created',
  'subscribed',
  'confirmed',
  'consented',
  'unsubscribed',
] as const
export type ContactDate = (typeof contactDates)[number]

/** A day is written as 2026-11-29, and is one of the workspace's time zone. */
export type DateTest = { before: string } | { after: string } | LastTest
export type DateCondition = { [Name in ContactDate]: Record<Name, DateTest> }[ContactDate]

/** Within so many times 24 hours before the count or the freeze; or not once. */
export type LastTest = { within_days: number } | { never: true }

export const engagementKinds = ['received', 'opened', 'clicked'] as const
export type EngagementTest = LastTest | { campaign: string }

/** `any`: an open that a relay may have made counts too; otherwise those by a person. */
export const openers = ['person', 'any'] as const
export type Opener = (typeof openers)[number]

export type EngagementCondition =
  | { received: EngagementTest }
  | { opened: EngagementTest & { by: Opener } }
  | { clicked: EngagementTest }
