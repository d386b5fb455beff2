/** What an import is given, and where it stands. */
import type { OpenBytes } from '../../csv/inspect-csv.ts'
import type { ImportRefusal, ImportState } from '../../db/subscribers/subscriber-imports.ts'
import type { LinkTokens } from '../../link-tokens.ts'
import type { Context } from '../context.ts'
import type { ImportColumns } from '../import-files/import-columns.ts'
import type { ImportBatch } from './read-import.ts'
import type { Asker } from './send-confirmation.ts'

export type ImportContext = Pick<Context, 'db' | 'makeId' | 'failpoints' | 'settings' | 'wake'> & {
  /** Asked for only where people are to confirm. */
  openLinkTokens(): Promise<LinkTokens>
}

export interface ImportInput {
  /** Gives the file from its beginning, each time it is called. */
  open: OpenBytes
  fileName: string
  /** Says by the header which column is what; throws `OperatorError` where it cannot. */
  columnsOf(headers: string[]): ImportColumns
  /** Given to everybody in the file. */
  tags: string[]
  /** The words that show why these people may be written to; null asks each of them by a confirmation mail. */
  consent: string | null
  /** The address of the member of the workspace who imports; null: a command does. */
  person: string | null
  /** When the file came, where it was brought and waited; null: it is read as it is now. */
  since: Date | null
  /** Only counts what would happen. */
  dryRun: boolean
  /** Told of its beginning, and after each batch. */
  onProgress(progress: ImportProgress): void
  /** Given the refused lines in their order. */
  onRefused(lines: ImportRefusal[]): Promise<void>
  /** Aborted: the import ends after the batch under way, and can be taken up again. */
  signal: AbortSignal
}

export interface ImportProgress {
  /** What it came to so far. */
  state: ImportState
  octetsDone: number
  octets: number
}

/** Where an import stands when the verb answers. */
export interface EndedImport extends ImportState {
  /** Records that an earlier run had done. */
  resumedAt: number
  finished: boolean
}

/** An import whose file was looked at. */
export interface BegunImport extends ImportInput {
  workspaceId: number
  /** Length of the file. */
  octets: number
  /** Batches from after so many records on. */
  from(skip: number): AsyncGenerator<ImportBatch>
  /** By whom people are asked to confirm; null where they are subscribed at once. */
  asking: { asker: Asker; linkTokens: LinkTokens } | null
}
