/**
 * Defines what receivers demand of a domain, what it meets of that, and the programmes by which
 * they report on its mail.
 */
import {
  complianceReasons,
  complianceRequirements,
  complianceStates,
  enrolmentPrograms,
  mailReceivers,
  type DemandOf,
} from '../compliance.ts'
import {
  DateTime,
  Text,
  Type,
  instantOrNull,
  nullable,
  objectOrNull,
  oneOf,
  type Static,
} from '../schema.ts'

const day = (description: string) => Type.String({ format: 'date', description })
const demandKinds: readonly DemandOf[] = ['all', 'bulk', 'advised']

const Requirement = Type.Object({
  requirement: oneOf(complianceRequirements),
  state: oneOf(complianceStates),
  reason: oneOf(complianceReasons, { description: 'Why it is in this state.' }),
  details: Type.Unsafe<Record<string, string | number>>({
    type: 'object',
    description: 'The names and figures of the reason.',
    examples: [{ domain: 'mail.acme.example' }],
  }),
  since: instantOrNull('Since when it is in this state. Null: it was not checked yet.'),
  record: objectOrNull({
    type: Type.String({ examples: ['TXT'] }),
    name: Type.String({ examples: ['_dmarc.mail.acme.example'] }),
    value: Type.String({
      description: 'The value that meets it, given the present record.',
      examples: ['v=DMARC1; p=none'],
    }),
  }),
  demanded_by: Type.Array(
    Type.Object({
      receiver: oneOf(mailReceivers),
      of: oneOf(demandKinds, {
        description:
          '`bulk`: of senders of 5,000 mails a day; `advised`: nothing is refused without it.',
      }),
    }),
  ),
})

const ReceiverRules = Type.Object({
  receiver: oneOf(mailReceivers),
  source: Type.String({ format: 'uri', description: 'Where it publishes what it demands.' }),
  since: day('Since when it does.'),
  bulk_since: nullable(
    day('The first day of 5,000 mails or more to it. Null: the domain is no bulk sender there.'),
  ),
  highest: objectOrNull({
    day: day('Of UTC.'),
    mails: Type.Integer({
      minimum: 1,
      description:
        'By all domains of the organisation and all workspaces, single mails and campaigns.',
    }),
  }),
})

const Enrolment = Type.Object({
  program: oneOf(enrolmentPrograms),
  url: Type.String({ format: 'uri', description: 'Where to enrol.' }),
  applies: Type.Boolean({ description: 'False: the operator of the relay enrols.' }),
  values: Type.Array(
    Type.Object({
      field: oneOf(['domain', 'selector', 'address', 'addresses', 'account']),
      value: Text.orNull({ description: 'Null: a setting of the operator is missing.' }),
    }),
    { description: 'What the form asks for.' },
  ),
  first_report_at: instantOrNull('When the first report came. Null: none yet.'),
})
export type Enrolment = Static<typeof Enrolment>

export const DomainCompliance = Type.Object({
  object: Type.Literal('domain_compliance'),
  name: Type.String({ examples: ['mail.acme.example'] }),
  evaluated_at: nullable(DateTime),
  organization: Type.String({
    description: 'The name below the public suffix, which receivers count mails by.',
    examples: ['acme.example'],
  }),
  requirements: Type.Array(Requirement),
  receivers: Type.Array(ReceiverRules),
  gmail: objectOrNull({
    read_at: DateTime,
    problem: Text.orNull({ description: 'Why Postmaster Tools could not be read the last time.' }),
    needs_work: Type.Array(Type.String({ examples: ['DMARC_POLICY'] }), {
      description: "In Google's words.",
    }),
    compliant: Type.Array(Type.String({ examples: ['SPF'] })),
    days: Type.Array(
      Type.Object({
        day: day('As Google counts days.'),
        spam_rate: Type.Number({ minimum: 0, maximum: 1 }),
      }),
      {
        description:
          'The published days of the last 30, the newest first. Google publishes none for days of little mail.',
      },
    ),
    spam_rate_max: Type.Number({ description: 'A day above it suspends sending.' }),
  }),
  enrolments: Type.Array(Enrolment),
})
export type DomainCompliance = Static<typeof DomainCompliance>
