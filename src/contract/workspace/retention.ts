/**
 * Defines how long a workspace stores each class of data: what applies, and what an owner
 * shortened.
 */
import { ofMembers, operationsOf } from '../operations-of.ts'
import {
  retentionClasses,
  retentionClassNames,
  retentionDaysMax,
  type RetentionClassName,
} from '../retention.ts'
import {
  Type,
  count,
  instantOrNull,
  nullable,
  oneOf,
  optionalOrNull,
  type Static,
} from '../schema.ts'

const daysOrNull = (description: string) => nullable(Type.Integer({ minimum: 1, description }))

const Retention = Type.Object({
  object: Type.Literal('retention'),
  defaults_from: instantOrNull(
    'From when limits apply that nobody set, after an upgrade. Null: they apply.',
  ),
  classes: Type.Array(
    Type.Object({
      name: oneOf(retentionClassNames),
      days: daysOrNull(
        'Days after which it is deleted: the shorter of the two limits. Null: never.',
      ),
      own_days: daysOrNull(
        'What an owner chose. Null: nothing, and the limit of the installation applies.',
      ),
      installation_days: daysOrNull('The limit of the installation. Null: none.'),
      days_min: Type.Integer({ description: 'The shortest limit.' }),
      expired_before: instantOrNull('Data from before this moment has expired; null: none has.'),
    }),
  ),
})
export type Retention = Static<typeof Retention>

const days = (name: RetentionClassName) =>
  optionalOrNull(
    Type.Integer({ minimum: retentionClasses[name].daysMin, maximum: retentionDaysMax }),
  )

const RetentionUpdate = Type.Object(
  Object.fromEntries(retentionClassNames.map((name) => [name, days(name)])) as Record<
    RetentionClassName,
    ReturnType<typeof days>
  >,
  { examples: [{ bodies: 14 }] },
)

const RetentionPreview = Type.Object({
  object: Type.Literal('retention_preview'),
  rows: count(
    'What would be deleted in addition. Data that expires during the next day is not counted.',
  ),
  is_more: Type.Boolean({ description: '`rows` is where the counting stopped.' }),
})

const retention = operationsOf({ ...ofMembers, tag: 'Workspace' })

export const retentionOperations = {
  getRetention: retention.get('/api/v1/retention', Retention, {
    summary: 'Read how long the workspace stores its data',
    description: 'One entry for each class of data.',
  }),
  previewRetention: retention.get('/api/v1/retention/preview', RetentionPreview, {
    role: 'owner',
    summary: 'Count what a shorter limit would delete',
    description: 'Nothing is changed.',
    query: Type.Object({
      class: oneOf(retentionClassNames),
      days: Type.Integer({ minimum: 1, maximum: retentionDaysMax }),
    }),
  }),
  updateRetention: retention.patch('/api/v1/retention', Retention, {
    role: 'owner',
    fresh: true,
    summary: 'Shorten how long the workspace stores its data',
    description:
      'Older data can no longer be read, and is deleted for good. Only given classes change; null takes a limit back. A limit that is longer than that of the installation is refused.',
    body: RetentionUpdate,
  }),
}
