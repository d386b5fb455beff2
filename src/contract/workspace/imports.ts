/**
 * Defines imports of subscribers from uploaded files: stored, tried, run by workers, and reported.
 */
import { fieldTypes } from '../field-types.ts'
import { limits } from '../limits.ts'
import { accepted, created, fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import {
  DateTime,
  PageQuery,
  Text,
  Type,
  listOf,
  nullable,
  oneOf,
  textMap,
  type Static,
} from '../schema.ts'
import { consentWords } from './audience.ts'
import { audienceLimits } from './audience-limits.ts'
import { memberLanguages } from '../../ground/texts/languages.ts'

export const importStates = [
  'kept',
  'trying',
  'tried',
  'importing',
  'stopped',
  'imported',
  'failed',
] as const

export const ImportCountsSchema = Type.Object({
  people: Type.Integer({ description: 'Lines that were looked at.' }),
  new: Type.Integer(),
  updated: Type.Integer(),
  refused: Type.Integer(),
  reasons: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
  }),
})
export type ImportCounts = Static<typeof ImportCountsSchema>

const targetDescription =
  '`email`, `firstName`, `lastName`, `name` (divided at its first space), `tags`, `status`, `attributes` (a JSON object: a field for each key) or `fields.KEY`, for a new field also with its type, as `fields.KEY:date` (`number`, `date`, `boolean`, `text`); null: nothing is taken from it.'

export const statusMeaningNames = [
  'subscribed',
  'pending',
  'unsubscribed',
  'bounced',
  'complained',
] as const
const StatusWord = Type.Object({
  word: Type.String({ minLength: 1, maxLength: 100 }),
  meaning: oneOf(statusMeaningNames),
})
export type StatusWord = Static<typeof StatusWord>
/**
 * No letter, digit or space, which tags consist of, and neither a quote nor a backslash, which keep
 * one together.
 */
export const tagSeparatorsPattern = String.raw`^[^0-9A-Za-z "\\]+$`
export const tagSeparatorsMax = 5
const targets = Type.Array(Text.orNull({ maxLength: 80, description: targetDescription }), {
  maxItems: audienceLimits.importColumnsMax,
})

const entry = {
  object: Type.Literal('import'),
  id: Type.String({ format: 'uuid' }),
  name: Type.String({ examples: ['people.csv'] }),
  state: oneOf(importStates),
  person: Text.orNull({
    description: 'The user who brought it, or `key NAME`; null: a command did.',
  }),
  counts: nullable(ImportCountsSchema),
  created_at: DateTime,
  started_at: nullable(DateTime),
  ended_at: nullable(DateTime),
}

const ImportEntry = Type.Object(entry)
export type ImportEntry = Static<typeof ImportEntry>

/** The questions of an import before its first line is stored. */
export const ImportQuestions = {
  unknown_words: Type.Array(
    Type.Object({ column: Type.String(), word: Type.String(), count: Type.Integer() }),
    {
      description:
        'Words of a status that are not known, with how many lines have them: nothing is imported before `status_words` says what each means.',
    },
  ),
  unknown_separators: Type.Array(
    Type.Object({ separator: Type.String(), count: Type.Integer(), example: Type.String() }),
    {
      description:
        'Characters that may divide the tags of one cell, with how many lines have them: nothing is imported before `tag_separators` says which do.',
    },
  ),
}

export const ImportRefusals = Type.Array(
  Type.Object({ line: Type.Integer(), email: Type.String(), reason: Type.String() }),
  { description: 'The first refused lines.' },
)

const ImportDetail = Type.Object({
  ...entry,
  /** The size in bytes, and how many of them were read. */
  size: Type.Integer(),
  size_done: Type.Integer(),
  /** The file is deleted once it is no longer needed, or after a day. */
  has_file: Type.Boolean(),
  /** The first lines, while the file is stored. */
  headers: Type.Array(Type.String()),
  rows: Type.Array(Type.Array(Type.String())),
  targets: Type.Array(Text.orNull(), {
    description: 'The chosen targets, or those of the headers.',
  }),
  guessed_types: Type.Array(oneOf(fieldTypes), {
    description:
      'What the values of each column look like in the first lines: a new field gets this type once its target says so.',
  }),
  may_be_fields: Type.Array(Type.Boolean(), {
    description:
      'Of each column whether a page may offer it as a new field: it has values in the first lines, and says nothing of a status. Empty once targets were chosen.',
  }),
  tags: Type.Array(Type.String()),
  consent: Text.orNull(),
  status_words: Type.Array(StatusWord),
  tag_separators: Text.orNull(),
  ...ImportQuestions,
  trial: nullable(ImportCountsSchema),
  refusals: ImportRefusals,
  explanations: Type.Unsafe<Record<string, { en: string; fr: string }>>({
    type: 'object',
    additionalProperties: { type: 'object' },
    description: 'Each reason that a line was refused for, in words.',
  }),
  failure: nullable(
    textMap({
      description: 'Why nothing could be read from a place on: `rule`, and `line` or `text`.',
    }),
  ),
})
export type ImportDetail = Static<typeof ImportDetail>

export const ImportPlan = Type.Object({
  targets,
  tags: Type.Array(Type.String({ minLength: 1, maxLength: limits.subscriberTagMax }), {
    maxItems: limits.subscriberTagsMax,
  }),
  consent: Type.Union([consentWords, Type.Null()], {
    description:
      'Words: subscribed at once, by the word of the person who imports them. Null: each is asked by a confirmation mail.',
  }),
  status_words: Type.Optional(
    Type.Array(StatusWord, {
      maxItems: 100,
      description:
        'What words of a status column mean that are not known, or otherwise than they are known.',
    }),
  ),
  tag_separators: Type.Optional(
    Text.orNull({
      ...{ minLength: 1, maxLength: tagSeparatorsMax, pattern: tagSeparatorsPattern },
      description:
        'Each of these characters divides the tags of one cell; null: commas or semicolons.',
    }),
  ),
})
export type ImportPlan = Static<typeof ImportPlan>

const byId = Type.Object({ id: Type.String({ format: 'uuid' }) })
const ImportDiscarded = Type.Object({
  object: Type.Literal('import'),
  discarded: Type.Literal(true),
})

const imports = operationsOf({ ...ofMembers, tag: 'Subscribers', params: byId })
const planErrors = ['conflict', 'reputation_blocked', 'unverified_from_domain'] as const

export const importOperations = {
  uploadImport: imports.post('/api/v1/imports', created(ImportDetail), {
    summary: 'Upload a file of subscribers',
    description:
      'Stores the file for a day and answers its first lines. No subscriber is stored yet.',
    query: Type.Object({
      name: Type.String({ minLength: 1, maxLength: audienceLimits.fileNameMax }),
    }),
    takesFile: true,
    bodyBytesMax: audienceLimits.importFileBytes,
    errors: ['conflict'],
  }),
  listImports: imports.get('/api/v1/imports', listOf(ImportEntry), {
    summary: 'List imports',
    description: 'Those of thirty days, newest first, of commands too.',
    query: PageQuery,
  }),
  getImport: imports.get('/api/v1/imports/{id}', ImportDetail, {
    summary: 'Read an import',
    description: 'Its first lines, its progress and its results.',
  }),
  tryImport: imports.post('/api/v1/imports/{id}/try', accepted(ImportDetail), {
    summary: 'Rehearse an import',
    description:
      'A worker checks every line and stores nothing. The answer comes at once; the counts follow.',
    body: ImportPlan,
    errors: planErrors,
  }),
  startImport: imports.post('/api/v1/imports/{id}/start', accepted(ImportDetail), {
    summary: 'Start an import',
    description: 'A worker carries it out. A stopped import resumes behind the last stored line.',
    body: ImportPlan,
    errors: planErrors,
  }),
  stopImport: imports.post('/api/v1/imports/{id}/stop', accepted(ImportDetail), {
    summary: 'Stop an import',
    description: 'After the lines that are being stored; what is stored stays.',
    errors: ['conflict'],
  }),
  discardImport: imports.delete('/api/v1/imports/{id}', ImportDiscarded, {
    summary: 'Discard a file',
    description:
      'Deletes the whole entry of an import that was not begun, else its file alone. Not while it runs.',
    errors: ['conflict'],
  }),
  downloadRefusals: imports.get('/api/v1/imports/{id}/refusals', fileAnswer, {
    role: 'editor',
    summary: 'Refused lines as a file',
    description:
      'CSV: the lines as they stand in the file, with the reason in a column behind the others.',
    query: Type.Object({ language: Type.Optional(oneOf(memberLanguages)) }),
  }),
}
