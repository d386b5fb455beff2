/** `facteur segment …`: parts of a workspace's audience by a definition. */
import { caseText } from '../../contract/error-cases.ts'
import type { ErrorDetails } from '../../contract/errors.ts'
import { segmentExport } from './segment-export-command.ts'
import { readJsonFile } from './campaign/read-content.ts'
import { callOperation, type CallParts } from './derive/call-operation.ts'
import { derive, type About } from './derive/derive-command.ts'
import { deriveList } from './derive/derive-list.ts'
import { CommandRefusal } from './refusal.ts'
import { shownNumber } from './result.ts'
import { readText } from './values.ts'

const byName = {
  places: { id: 'NAME' },
  texts: { id: "The segment's name." },
  foundBy: { list: 'listSegments', field: 'name' },
} as const

/** The part of a definition that is wrong stands in a file, not in the line. */
const refusals = {
  validation_error: (details: ErrorDetails) =>
    String(details['path']).startsWith('definition.')
      ? caseText('validation_error', details, 'en')
      : null,
}

const fromFile = async (parts: CallParts): Promise<CallParts> => ({
  ...parts,
  body: { ...parts.body, definition: await readJsonFile(String(parts.body?.['definition'])) },
})

/** With the stored definition in the place of the segment's name. */
async function storedDefinition(parts: CallParts, { ctx, workspace }: About): Promise<CallParts> {
  const name = String(parts.body?.['definition'])
  const { data } = await callOperation(ctx, workspace.id, { id: 'listSegments' })
  const segment = data.find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (segment) return { ...parts, body: { definition: segment.definition } }
  throw new CommandRefusal(
    'not_found',
    `${workspace.slug} has no segment "${name}": "facteur segment list --workspace ${workspace.slug}" shows all.`,
  )
}

export const segmentCommands = [
  derive('createSegment', {
    note: 'The definition is a file with one condition as JSON: a tag, a field, a status, a source, a language, a date, engagement, or a group of them. docs/segments.md has them all.',
    read: { definition: readText },
    values: { definition: 'FILE', name: 'N' },
    texts: { definition: 'A file with the definition as JSON.' },
    refusals,
    prepare: fromFile,
    examples: ['segment create --workspace acme --name "Customers" --definition customers.json'],
    say: ({ name }, { workspace }) =>
      `The segment "${name}" is made.\nNext: facteur segment count --workspace ${workspace.slug} ${JSON.stringify(name)}`,
  }),
  deriveList('listSegments', {
    examples: ['segment list --workspace acme'],
    columns: [
      'name',
      { title: 'VERSION', right: true, cell: ({ version }) => String(version) },
      { title: 'DEFINITION', cell: ({ definition }) => JSON.stringify(definition) },
      'updated_at',
    ],
    empty: 'There is no segment yet. Next: facteur segment create',
  }),
  derive('countSegment', {
    summary: 'Count the contacts of a segment',
    note: 'With the newest ten of them. A count ends after five seconds.',
    places: { definition: 'NAME' },
    read: { definition: readText },
    texts: { definition: "The segment's name." },
    refusals,
    prepare: storedDefinition,
    examples: ['segment count --workspace acme "Customers"'],
    say: ({ contacts, subscribed, sample }) =>
      [
        `${shownNumber(contacts)} contacts, of whom ${shownNumber(subscribed)} are subscribed.`,
        ...sample.map(({ email, status }) => `  ${email} (${status})`),
      ].join('\n'),
  }),
  deriveList('listSegmentMembers', {
    ...byName,
    name: 'segment members',
    refusals,
    examples: ['segment members --workspace acme "Customers"'],
    columns: ['email', 'status', 'firstName', 'lastName', 'source', 'created_at'],
    empty: 'The segment has no contact now.',
  }),
  segmentExport,
  derive('deleteSegment', {
    ...byName,
    examples: ['segment delete --workspace acme "Customers"'],
    say: (_body, { words, workspace }) =>
      `The segment ${String(words['NAME'])} of ${workspace.slug} is deleted.`,
  }),
]
