/**
 * Defines users' operations for the suppression list: importing files, and removing an address,
 * which no API key can do.
 */
import { limits } from '../limits.ts'
import { accepted, fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, Text, Type, listOf, nullable, oneOf, type Static } from '../schema.ts'
import { suppressionReasons } from '../suppression.ts'
import { audienceLimits } from './audience-limits.ts'
import { memberLanguages } from '../../ground/texts/languages.ts'

const SuppressionImport = Type.Object({
  object: Type.Literal('suppression_import'),
  id: Type.String({ format: 'uuid' }),
  status: oneOf(['running', 'finished', 'failed', 'interrupted'], {
    description: '`interrupted`: its process is gone; the same file again does no harm.',
  }),
  progress: Type.Number({ description: 'From 0 to 1.' }),
  lines: Type.Integer(),
  added: Type.Integer(),
  known: Type.Integer({ description: 'Were suppressed already.' }),
  refused: Type.Integer(),
  refusals: Type.Array(
    Type.Object({ line: Type.Integer(), reason: Type.String(), email: Type.String() }),
    {
      description: 'The first twenty, of one import alone; the file has them all.',
    },
  ),
  failure: Text.orNull({ description: 'Why the file cannot be read.' }),
  started_at: DateTime,
  finished_at: nullable(DateTime),
})
export type SuppressionImport = Static<typeof SuppressionImport>

export const liftReason = Type.String({
  minLength: 3,
  maxLength: audienceLimits.reasonMax,
  description: 'Why mail may go there again; stored in the audit log.',
})

const LiftRequest = Type.Object({
  email: Type.String({ minLength: limits.addressMin, maxLength: limits.addressMax }),
  reason: liftReason,
})

const LiftedSuppression = Type.Object({
  object: Type.Literal('lifted_suppression'),
  email: Type.String(),
  was: oneOf(suppressionReasons),
  suppressed_by_platform: Type.Boolean({
    description: 'The list of the platform still suppresses the address for all workspaces.',
  }),
})

const params = Type.Object({ id: Type.String() })
const suppression = operationsOf({ ...ofMembers, tag: 'Suppression', params })

export const suppressionOperations = {
  importSuppression: suppression.post('/api/v1/suppression/imports', accepted(SuppressionImport), {
    summary: 'Suppress the addresses of a file',
    description:
      'A CSV file with a column for the address, and perhaps one for the reason. It is worked through while you read how far it is.',
    query: Type.Object({
      reason: Type.Optional(
        oneOf(suppressionReasons, { description: 'Of lines that give none; `manual`.' }),
      ),
    }),
    takesFile: true,
    bodyBytesMax: audienceLimits.suppressionFileBytes,
    errors: ['conflict'],
  }),
  getSuppressionImport: suppression.get('/api/v1/suppression/imports/{id}', SuppressionImport, {
    summary: 'Read the progress of an import of suppressed addresses',
    description: 'With what was refused so far.',
  }),
  downloadSuppressionRefusals: suppression.get(
    '/api/v1/suppression/imports/{id}/refusals',
    fileAnswer,
    {
      role: 'editor',
      summary: 'Refused lines as a file',
      description: 'CSV: line, reason, address and the reason in words.',
      query: Type.Object({ language: Type.Optional(oneOf(memberLanguages)) }),
    },
  ),
  listSuppressionImports: suppression.get(
    '/api/v1/suppression/imports',
    listOf(SuppressionImport),
    {
      summary: 'List imports of suppressed addresses',
      description: 'The last twenty, newest first; they are kept thirty days.',
    },
  ),
  liftSuppression: suppression.post('/api/v1/suppression/lift', LiftedSuppression, {
    summary: 'Take an address off the suppression list',
    description:
      'Mail may go there again. The audience does not change: only the person can subscribe again.',
    fresh: true,
    body: LiftRequest,
    errors: ['not_found'],
  }),
}
