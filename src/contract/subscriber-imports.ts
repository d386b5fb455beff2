/** Defines imports of files of subscribers by a key: brought and begun by one call, then read. */
import {
  DateTime,
  Text,
  Type,
  instantOrNull,
  listOf,
  named,
  nullable,
  oneOf,
  textMap,
  type Static,
} from './schema.ts'
import { foreignSubscriberKeys } from './subscribers.ts'
import { without } from './without.ts'
import { consentWords } from './workspace/audience.ts'
import { audienceLimits } from './workspace/audience-limits.ts'
import {
  ImportCountsSchema,
  ImportPlan,
  ImportQuestions,
  ImportRefusals,
  importStates,
} from './workspace/imports.ts'

const { status_words, tag_separators } = ImportPlan.properties

export const SubscriberImportRequest = Type.Object(
  {
    csv: Type.String({
      minLength: 1,
      description:
        'The file: separated values, whose first line names the columns. Commas, semicolons or tabs divide them.',
      examples: ['email,firstName,city\ncamille@example.com,Camille,Lyon\n'],
    }),
    double_opt_in: Type.Boolean({
      description:
        '`true`: each new contact is asked to confirm, at the pace of confirmations. `false`: subscribed at once, by the word of `consent`. It has no default.',
      examples: [false],
    }),
    consent: Type.Optional({
      ...consentWords,
      description:
        'Needed with `double_opt_in: false`, and only then: the words of these contacts’ consent, stored as evidence for each.',
      examples: ['Signed up at our stand'],
    } as typeof consentWords),
    name: Text.optional({
      minLength: 1,
      maxLength: audienceLimits.fileNameMax,
      description: 'What the import is called; absent: `contacts.csv`.',
      examples: ['fair.csv'],
    }),
    tags: Type.Optional(ImportPlan.properties.tags),
    columns: Type.Optional(
      textMap(
        {
          maxProperties: audienceLimits.importColumnsMax,
          description:
            'What columns hold whose header does not say it, by header: `email`, `firstName`, `lastName`, `name`, `tags`, `status`, `attributes`, `fields.KEY`; `none`: nothing is taken from it.',
          examples: [{ city: 'fields.city' }],
        },
        { maxLength: 80 },
      ),
    ),
    status_words,
    tag_separators,
  },
  {
    $id: 'SubscriberImportRequest',
    'x-rules': { allOf: [without(foreignSubscriberKeys[''])] },
    description:
      'Unknown keys are ignored, but for those that `POST /subscribers` refuses, such as `status` and `list_ids`: they are refused here too.',
    examples: [
      {
        csv: 'email,firstName,city\ncamille@example.com,Camille,Lyon\n',
        double_opt_in: false,
        consent: 'Signed up at our stand',
        columns: { city: 'fields.city' },
      },
    ],
  },
)
export type SubscriberImportRequest = Static<typeof SubscriberImportRequest>

const entry = {
  object: Type.Literal('import'),
  id: Type.String({ format: 'uuid' }),
  name: Type.String({ examples: ['fair.csv'] }),
  state: oneOf(importStates, {
    description:
      '`importing`, then `imported`, or `failed` with its cause. `kept`, `trying` and `tried`: a user has not begun it. `stopped`: a user ended it early.',
  }),
  counts: nullable(ImportCountsSchema),
  created_at: DateTime,
  started_at: nullable(DateTime),
  ended_at: nullable(DateTime),
}

export const SubscriberImportList = listOf(Type.Object(entry), 'SubscriberImportList')

export const SubscriberImport = named('SubscriberImport', {
  ...entry,
  ...ImportQuestions,
  refusals: ImportRefusals,
  failure: nullable(
    textMap({ description: 'Why nothing was imported: `rule`, and `line` or `text`.' }),
  ),
  confirmations_until: instantOrNull(
    'When the last waiting confirmation of the workspace leaves, of its files and batches; null: none waits.',
  ),
})
export type SubscriberImport = Static<typeof SubscriberImport>

export const SubscriberImportParams = Type.Object({
  id: Type.String({ description: 'The id that the call answered.' }),
})
