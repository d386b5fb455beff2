/**
 * `facteur subscriber import`: streams subscribers from a file, and resumes where an earlier run
 * stopped.
 */
import { limits } from '../../contract/limits.ts'
import {
  isColumnTarget,
  readColumns,
  type ColumnMapping,
} from '../../core/audience/imports/columns/import-columns.ts'
import {
  tagSeparatorsMax,
  tagSeparatorsPattern,
  type StatusWord,
} from '../../contract/workspace/imports.ts'
import { isMeaning } from '../../core/audience/imports/columns/status-words.ts'
import { isTag } from '../../core/audience/imports/columns/read-row.ts'
import { splitTags } from '../../core/audience/imports/columns/tag-separators.ts'
import {
  importSubscribers,
  type ImportResult,
} from '../../core/audience/imports/engine/import-subscribers.ts'
import { reasonLines } from '../../core/files/import-reasons.ts'
import { withImportSource } from './import-source.ts'
import { argument, flag, refusedFlag } from './parameters.ts'
import { createProgressLine } from './progress-line.ts'
import { CommandRefusal } from './refusal.ts'
import { withRefusedReport } from './refused-report.ts'
import { shownNumber, printed, type PrintedValue } from './result.ts'
import { readText } from './values.ts'
import { defineWorkspaceCommand } from './workspace-command.ts'

export const subscriberImport = defineWorkspaceCommand({
  name: 'subscriber import',
  summary: 'Import subscribers from a CSV file',
  note: `The first line names the columns; comma, semicolon and tab are recognized, and the file is UTF-8. Address, first name,
last name, tags and \`fields.KEY\` are found by their names in French or English. Say either --consent, with the words that show why these
people may be written to: they are subscribed at once, and the words are kept as evidence of each; or --double-opt-in: each new person is
asked by a confirmation mail. An empty cell changes nothing of who is there already, tags are added, and a status stays what it is. Addresses
that are suppressed, unsubscribed or bounced are refused, whatever the file says. Contacts who left by any line of the file are refused too: by a word of a
status column, or by a date or a yes in a column such as UNSUB_TIME, unsubscribed or "Désabonné le", or by a no in one such as subscribed or newsletter. A contact whom it calls pending is stored
as pending and gets no mail. A word of a status that is not known stops the import before its first line, and --status-word says what it means. A
column \`attributes\` holds JSON, and each of its keys becomes a field. Tags of one cell are divided by commas or semicolons;
one within a tag has a backslash before it. A value that does not fit the type of its field is refused with its line; yes and no are read where a field is a boolean. Where the values of a new
field look like a type, the import says so, and the field is a text until you say otherwise. Where other characters stand there, or both, the import asks too, and --tag-separator answers. An import that was interrupted goes on where it stopped when
the same line is run again; standard input (\`-\`) is kept in a temporary file first, so it does too.`.replaceAll(
    '\n',
    ' ',
  ),
  arguments: { FILE: argument('The CSV file; - is standard input.', readText) },
  flags: {
    consent: flag(
      'TEXT',
      'Why they may be written to: subscribed at once, by your word.',
      readConsent,
    ),
    'double-opt-in': { text: 'Asks each new person by a confirmation mail instead.' },
    map: {
      ...flag(
        'COLUMN=TARGET',
        'What a column is: email, firstName, lastName, name, tags, status, attributes or fields.KEY; fields.KEY:date makes a new field a date, and so do number, boolean and text.',
        readMapping,
      ),
      many: true,
    },
    'status-word': {
      ...flag(
        'WORD=MEANING',
        'What a word of a status means: subscribed, pending, unsubscribed, bounced or complained.',
        readStatusWord,
      ),
      many: true,
    },
    'tag-separator': flag(
      'CHARACTERS',
      'Each of them divides the tags of one cell, as in "|" or ",;".',
      readTagSeparators,
    ),
    tags: flag('T,T', 'Tags that everybody in the file gets.', readTags),
    'dry-run': { text: 'Only counts what would happen; nothing is stored.' },
    refused: refusedFlag,
  },
  checkLine({ consent, 'double-opt-in': doubleOptIn }) {
    if ((consent !== null) !== doubleOptIn) return
    throw new CommandRefusal(
      'usage',
      'Say why these people may be written to: --consent "TEXT" (subscribed at once, the text is kept as evidence) or --double-opt-in (each is asked first), one of the two.',
    )
  },
  examples: [
    'subscriber import --workspace acme --consent "Ticked the newsletter box at the till, spring 2026" people.csv',
    'subscriber import --workspace acme --double-opt-in --map "Ville=fields.city" --tags fair,2026 people.csv',
    'subscriber import --workspace acme --consent "Members, by their contract" --map "Nom complet=name" --status-word "Gold=subscribed" people.csv',
    'subscriber import --workspace acme --double-opt-in --tag-separator "|" people.csv',
    'subscriber import --workspace acme --double-opt-in --dry-run --refused refused.csv people.csv',
  ],
  async run(
    ctx,
    {
      FILE,
      consent,
      map,
      'status-word': statusWords,
      'tag-separator': tagSeparators,
      tags,
      'dry-run': dryRun,
      refused,
    },
  ) {
    const reading = createProgressLine(ctx, 'bytes read')
    const line = createProgressLine(ctx, 'people')
    const result = await withImportSource(FILE, ctx.signal, ({ open, name, bytes: size }) =>
      withRefusedReport(refused, (onRefused) =>
        importSubscribers(ctx, {
          workspaceId: ctx.workspace.id,
          ...{
            open,
            fileName: name,
            columnsOf: (headers) => readColumns(headers, map),
            tags: tags ?? [],
          },
          ...{ statusWords, tagSeparators },
          ...{
            consent,
            person: null,
            apiKeyId: null,
            since: null,
            dryRun,
            onRefused,
            signal: ctx.signal,
          },
          onReading: (done) => reading.show(done / size, done),
          onProgress: ({ bytesDone, bytes, state }) =>
            line.show(bytesDone / bytes, state.recordsDone),
        }),
      ),
    )
    return report(result, dryRun, ctx.workspace.slug)
  },
})

function report(result: ImportResult, dryRun: boolean, workspace: string): PrintedValue {
  const { columns, guessedTypes, refused, resumedAt, finished, added, updated } = result
  const refusals = Object.values(refused).reduce((sum, count) => sum + count, 0)
  const would = dryRun ? 'would be ' : ''
  const width = shownNumber(Math.max(0, ...Object.values(refused))).length
  const lines = [
    ...(columns.ignored.length > 0
      ? [`Ignored columns: ${columns.ignored.map((name) => `"${name.trim()}"`).join(', ')}.`]
      : []),
    ...(resumedAt > 0
      ? [`Went on after ${shownNumber(resumedAt)} people that an earlier run had done.`]
      : []),
    `${shownNumber(added)} ${would}new, ${shownNumber(updated)} ${would}updated, ${shownNumber(refusals)} ${would}refused.`,
    ...reasonLines(refused).map(
      ([count, text]) => `  ${shownNumber(count).padStart(width)}  ${text}`,
    ),
    ...guessedTypes.map(({ key, type }) => {
      const yes = dryRun
        ? `--map "COLUMN=fields.${key}:${type}"`
        : `facteur field type --workspace ${workspace} ${key} ${type}`
      return `The values of the new field ${key} look like the type ${type}. If they are: ${yes}`
    }),
    ...(dryRun ? ['Nothing was stored.'] : []),
    ...(finished ? [] : ['Stopped before its end: the same line goes on from here.']),
  ]
  const json = {
    id: dryRun ? null : result.id,
    dry_run: dryRun,
    finished,
    people: result.recordsDone,
    resumed_at: resumedAt,
    new: added,
    updated,
    refused: refusals,
    reasons: refused,
    ignored_columns: columns.ignored,
    guessed_types: Object.fromEntries(guessedTypes.map(({ key, type }) => [key, type])),
  }
  return printed(json, lines.join('\n'), !finished)
}

function readMapping(text: string): ColumnMapping {
  const at = text.lastIndexOf('=')
  const [header, target] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  if (at > 0 && isColumnTarget(target)) return { header, target }
  throw new CommandRefusal(
    'usage',
    `"${text}" is not COLUMN=email, firstName, lastName, name, tags, status, attributes, fields.key or fields.key:date.`,
  )
}

function readStatusWord(text: string): StatusWord {
  const at = text.lastIndexOf('=')
  const [word, meaning] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  if (at > 0 && word !== '' && isMeaning(meaning)) return { word, meaning }
  throw new CommandRefusal(
    'usage',
    `"${text}" is not WORD=subscribed, WORD=pending, WORD=unsubscribed, WORD=bounced or WORD=complained.`,
  )
}

/** A shell writes a tab or a line break less easily than `\\t` or `\\n`. */
function readTagSeparators(text: string): string {
  const characters = text.replaceAll(String.raw`\t`, '\t').replaceAll(String.raw`\n`, '\n')
  if (new RegExp(tagSeparatorsPattern).test(characters) && characters.length <= tagSeparatorsMax)
    return characters
  throw new CommandRefusal(
    'usage',
    `"${text}" is not 1 to ${tagSeparatorsMax} characters that divide tags: no letters, digits, spaces, quotes or backslashes.`,
  )
}

function readTags(text: string): string[] {
  const tags = splitTags(text)
  if (tags.length > 0 && tags.length <= limits.subscriberTagsMax && tags.every(isTag)) return tags
  throw new CommandRefusal(
    'usage',
    `"${text}" is not 1 to ${limits.subscriberTagsMax} tags of 1 to ${limits.subscriberTagMax} characters, separated by commas.`,
  )
}

function readConsent(text: string): string {
  const words = text.trim()
  if (words.length >= 3 && words.length <= 2_000) return words
  throw new CommandRefusal(
    'usage',
    'The words of --consent are kept as evidence: 3 to 2000 characters, please.',
  )
}
