/** Describes the definition of a segment as JSON Schema, for documents. */
import { Type, oneOf } from './schema.ts'
import { openers } from './segments.ts'
import { subscriberStatuses } from './subscribers.ts'
import { subscriberSources } from './workspace/audience.ts'
import { segmentLimits } from './workspace/segment-limits.ts'
import { recipientLanguages } from '../ground/texts/languages.ts'

const text = (description: string, examples: string[] = []) =>
  Type.Optional(Type.String({ maxLength: segmentLimits.valueMax, description, examples }))
const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description, examples: ['2026-11-01'] }))
const withinDays = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: segmentLimits.daysMax,
    description: 'Within so many times 24 hours before the count, or the start of the campaign.',
    examples: [90],
  }),
)
const never = Type.Optional(Type.Literal(true, { description: 'Not once, as far as is known.' }))
const campaign = Type.Optional(
  Type.String({ format: 'uuid', description: 'A campaign whose details are still stored.' }),
)

const dateTest = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        before: day("Before this day of the workspace's time zone begins."),
        after: day("After this day of the workspace's time zone has ended."),
        within_days: withinDays,
        never,
      },
      { description: `${description} Exactly one of these.` },
    ),
  )
const engagementTest = { within_days: withinDays, campaign, never }
const engagement = (description: string) =>
  Type.Optional(
    Type.Object(engagementTest, { description: `${description} Exactly one of these.` }),
  )

const group = (description: string) =>
  Type.Optional(
    Type.Array(Type.Object({}), {
      maxItems: segmentLimits.conditionsMax,
      description: `${description} Groups stand in at most ${segmentLimits.levelsMax} levels.`,
    }),
  )

const groups = Type.Object({
  all: group('Each of these conditions holds; of none, for everybody.'),
  any: group('One of these conditions holds at least; of none, for nobody.'),
  none: group('Not one of these conditions holds; of none, for everybody.'),
})

const single = Type.Object({
  tag: text('The contact has this tag, whatever its case.', ['vip']),
  field: text('A custom field by its key, beside one comparison.', ['city']),
  is: text('Beside `field`: its value, without regard to case.', ['Paris']),
  is_not: text('Beside `field`: another value, or none.'),
  contains: text('Beside a `field` of the type text: a part of its value.'),
  before: day('Beside a `field` of the type date.'),
  after: day('Beside a `field` of the type date.'),
  above: text('Beside a `field` of the type number.', ['10']),
  within_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: segmentLimits.daysMax,
      description:
        "Beside a `field` of the type date: today, or one of so many days before; by the workspace's time zone, at the count or the start of the campaign.",
      examples: [90],
    }),
  ),
  below: text('Beside a `field` of the type number.', ['12.5']),
  empty: Type.Optional(
    Type.Boolean({ description: 'Beside `field`: no value that fits its type; false: one.' }),
  ),
  status: Type.Optional(oneOf(subscriberStatuses)),
  source: Type.Optional(oneOf(subscriberSources, { description: 'How the contact was added.' })),
  form: text('Beside `"source": "form"`: the form, by its identifier.'),
  language: Type.Optional(oneOf(recipientLanguages, { description: 'Where it is known.' })),
  created: dateTest('When the contact was added.'),
  subscribed: dateTest('When a contact who is subscribed was.'),
  confirmed: dateTest('When the contact confirmed by the link.'),
  consented: dateTest('When the contact last gave a consent that is stored as evidence.'),
  unsubscribed: dateTest('When the contact left.'),
  received: engagement('A mail of a campaign was handed over for the contact.'),
  opened: Type.Optional(
    Type.Object(
      {
        ...engagementTest,
        by: Type.Optional(
          oneOf(openers, {
            default: 'person',
            description: '`any`: opens by a relay, which may open every mail, count too.',
          }),
        ),
      },
      { description: 'A mail of a campaign was opened. Exactly one of these, and `by`.' },
    ),
  ),
  clicked: engagement('A link in a mail of a campaign was followed.'),
})

/**
 * A condition as a caller writes it. The verb checks it, since a refusal names the wrong part; the
 * published schema shows what it reads.
 */
export const Definition = Type.Unknown({
  'x-described': Type.Union([groups, single]),
  description:
    'One condition: a group (`all`, `any`, `none`), or one about a tag, a field, status, source, language, a date or engagement.',
  examples: [{ all: [{ tag: 'vip' }, { status: 'subscribed' }] }],
})
