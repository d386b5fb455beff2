/** Defines what owners of all workspaces read of the installation: its disk, and what needs them. */
import { loweredPace } from './lowered-pace.ts'
import { ofMembers, operationsOf } from '../operations-of.ts'
import { retentionClassNames } from '../retention.ts'
import { DateTime, Type, count, instantOrNull, nullable, oneOf, type Static } from '../schema.ts'

const InstallationState = Type.Object({
  disk: nullable(
    Type.Object(
      {
        classes: Type.Array(
          Type.Object({
            class: oneOf([...retentionClassNames, 'other']),
            bytes: count('As of `measured_at`.'),
          }),
        ),
        measured_at: Type.String({ format: 'date-time', description: 'Measured once an hour.' }),
        bytes_per_day: nullable(
          Type.Number({
            description:
              'Growth of the last seven days, net of what expired. Null: less than a day was measured.',
          }),
        ),
        full_at: instantOrNull(
          'When nothing new is accepted at this rate. Null: it does not grow, or the rate or the disk is not known.',
        ),
        is_disk_known: Type.Boolean({
          description: 'False: the database is elsewhere, or the disk is not watched.',
        }),
      },
      {
        description: 'How much disk the data takes. Null: before the first look.',
      },
    ),
  ),
  backup_failed: nullable({
    ...DateTime,
    description: 'When the scheduled backup last failed. Null: it did not.',
  }),
  copy_share: nullable(
    Type.Number({
      description:
        'How much has been copied to another database, from 0 to 1. Null: no copy is made.',
    }),
  ),
  tls_failures: nullable(
    Type.Object(
      {
        domains: count('Recipients’ domains.'),
        sessions: count('Sessions with their mail hosts.'),
        held: count('Domains whose policy may hold their mail back: MTA-STS or DANE.'),
      },
      {
        description:
          'Sessions whose encryption failed yesterday and today, UTC. Null: none failed.',
      },
    ),
  ),
  throttled: Type.Array(
    Type.Object({
      provider: Type.String(),
      ...loweredPace,
    }),
    { description: 'Providers that asked for a slower pace within the last minute.' },
  ),
  withheld: count(
    'Mails, campaigns, webhook deliveries, sign-ups and imports that wait since a restore until the operator releases or discards them.',
  ),
})
export type InstallationState = Static<typeof InstallationState>

const Installation = Type.Object({
  object: Type.Literal('installation'),
  state: nullable(InstallationState),
})

const installation = operationsOf({ ...ofMembers, tag: 'Workspace' })

export const installationOperations = {
  getInstallation: installation.get('/api/v1/installation', Installation, {
    summary: 'State of the installation',
    description:
      'Sizes and failures say something of the mail of others, so that only somebody who owns every workspace reads them.',
  }),
}
