/** Defines users' operations for the suppression list: importing files, and removing an address, which no API key can do. */
import { Type } from '../type.ts'
import { limits } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, listOf, nullable, oneOf, type Static } from '../schema.ts'
import { suppressionReasons } from '../suppression.ts'

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
  refusals: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String(), email: Type.String() }), {
    description: 'The first twenty, of one import alone; the file has them all.',
  }),
  failure: nullable(Type.String({ description: 'Why the file cannot be read.' })),
  started_at: DateTime,
  finished_at: nullable(DateTime),
})
export type SuppressionImport = Static<typeof SuppressionImport>

const ReopenRequest = Type.Object({
  email: Type.String({ minLength: limits.addressMin, maxLength: limits.addressMax }),
  reason: Type.String({ minLength: 3, maxLength: 500, description: 'Why mail may go there again; stored in the audit log.' }),
})

const Reopened = Type.Object({
  object: Type.Literal('reopened_address'),
  email: Type.String(),
  was: oneOf(suppressionReasons),
  still_closed_by_platform: Type.Boolean({
    description: 'The list of the platform still suppresses the address for all workspaces.',
  }),
})

const suppression = operationsOf({ ...ofMembers, tag: 'Suppression' })

export const suppressionOperations = {
  importSuppression: {
    ...suppression.post('/api/v1/suppression/imports'),
    summary: 'Suppress the addresses of a file',
    description:
      'A CSV file with a column for the address, and perhaps one for the reason. It is worked through while you read how far it is.',
    query: Type.Object({
      reason: Type.Optional(oneOf(suppressionReasons, { description: 'Of lines that give none; `manual`.' })),
    }),
    takesFile: true,
    bodyBytesMax: 100 * 1024 * 1024,
    answer: { status: 202, schema: SuppressionImport },
    errors: ['validation_error', 'conflict'],
  },
  getSuppressionImport: {
    ...suppression.get('/api/v1/suppression/imports/{id}'),
    summary: 'Read the progress of an import of suppressed addresses',
    description: 'With what was refused so far.',
    params: Type.Object({ id: Type.String() }),
    answer: { status: 200, schema: SuppressionImport },
    errors: ['not_found'],
  },
  downloadSuppressionRefusals: {
    ...suppression.get('/api/v1/suppression/imports/{id}/refusals'),
    role: 'editor',
    summary: 'Refused lines as a file',
    description: 'CSV: line, reason, address and the reason in words.',
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ language: Type.Optional(oneOf(['fr', 'en'])) }),
    answer: fileAnswer,
    errors: ['not_found'],
  },
  listSuppressionImports: {
    ...suppression.get('/api/v1/suppression/imports'),
    summary: 'List imports of suppressed addresses',
    description: 'The last twenty, newest first; they are kept thirty days.',
    answer: { status: 200, schema: listOf(SuppressionImport) },
  },
  reopenAddress: {
    ...suppression.post('/api/v1/suppression/reopen'),
    summary: 'Take an address off the suppression list',
    description: 'Mail may go there again. The audience does not change: only the person can subscribe again.',
    fresh: true,
    body: ReopenRequest,
    answer: { status: 200, schema: Reopened },
    errors: ['not_found', 'validation_error'],
  },
} as const satisfies Record<string, Operation>
