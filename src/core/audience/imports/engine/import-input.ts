/** Defines the input of an import and its progress. */
import type { OpenBytes } from '../../../../ground/csv/inspect-csv.ts'
import type { FileLayout, StoredRefusal } from '../../../../db/files/import-refusals.ts'
import type { ImportState } from '../../../../db/audience/subscriber-imports.ts'
import type { LinkTokens } from '../../../../ground/link-tokens.ts'
import type { Context } from '../../../context.ts'
import type { ImportColumns } from '../columns/import-columns.ts'
import type { StatusWord } from '../../../../contract/workspace/imports.ts'
import type { ImportBatch } from './read-import.ts'
import type { Asker } from '../../consent/send-confirmation.ts'

export type ImportContext = Pick<Context, 'db' | 'makeId' | 'failpoints' | 'settings' | 'wake'> & {
  /** Called only when subscribers must confirm. */
  openLinkTokens(): Promise<LinkTokens>
}

export interface ImportInput {
  /** Opens the file from its beginning on each call. */
  open: OpenBytes
  fileName: string
  /** Maps the header to columns; throws `OperatorError` when it cannot. */
  columnsOf(headers: string[]): ImportColumns
  /** The user's meanings of words of a status column. */
  statusWords: readonly StatusWord[]
  /**
   * The characters that divide the tags of one value. Null means commas or semicolons, and the
   * import asks where others stand.
   */
  tagSeparators: string | null
  /** Tags for every subscriber of the file. */
  tags: string[]
  /**
   * The user's statement of why these contacts may be mailed. Null means each one is asked to
   * confirm.
   */
  consent: string | null
  /** The address of the user who imports. Null if a command does. */
  person: string | null
  /** The key of the program that imports. Null if none does. */
  apiKeyId: string | null
  /** When the file was uploaded, if it waited. Null if it is read directly. */
  since: Date | null
  /** Only counts what would happen. */
  dryRun: boolean
  /** Called while the whole file is read, before the first line is stored. */
  onReading(bytesDone: number): void
  /** Called at the beginning and after each batch. */
  onProgress(progress: ImportProgress): void
  /** Receives the refused lines in their order, and how the file writes its lines; perhaps none. */
  onRefused(lines: StoredRefusal[], layout: FileLayout): Promise<void>
  /** When aborted, the import ends after the current batch, and can be continued. */
  signal: AbortSignal
}

export interface ImportProgress {
  /** The totals so far. */
  state: ImportState
  bytesDone: number
  bytes: number
}

/** The state of an import when the verb returns. */
export interface EndedImport extends ImportState {
  /** Records that an earlier run had stored. */
  resumedAt: number
  finished: boolean
}

export interface ImportRun extends ImportInput {
  workspaceId: number
  /** Length of the file in bytes. */
  bytes: number
  layout: FileLayout
  /** Returns the batches after this many records. */
  from(skip: number): AsyncGenerator<ImportBatch>
  /** The sender of confirmations; null when subscribers are subscribed at once. */
  asking: { asker: Asker; linkTokens: LinkTokens } | null
}
