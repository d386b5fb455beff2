/** The result of a command for the printer: one object, a list that may be long, or bytes. */
export { shownNumber, shownTime } from '../../ground/shown-values.ts'

export interface PrintedValue {
  kind: 'shown'
  json: object
  /** Text for the terminal: the result, and the next step. */
  text: string
  /** 1 if the result is a failure. */
  exitCode: 0 | 1
}

export interface TableColumn {
  title: string
  /** Numbers stand at the right. */
  right?: true
}

export interface OutputLine {
  json: object
  cells: string[]
}

export interface Listed {
  kind: 'listed'
  columns: TableColumn[]
  /** Page by page, so that a list of a million is never in memory whole. */
  pages: AsyncIterable<OutputLine[]>
  /** Printed on a terminal instead of an empty table. */
  empty: string
  /** Printed on a terminal below the table, once it is complete. */
  closing?: () => string | null
  /** Whether there are more entries than those printed, once they are. */
  hasMore?: () => boolean
  /** The format without `--json`: a table for reading, unless the list is for a file. */
  form?: 'csv' | 'json'
}

export interface Raw {
  kind: 'raw'
  bytes: Buffer
  /** For `--json`, where bytes cannot stand alone. */
  json: object
}

/** The report of a command whose output is a file: it goes to standard error. */
export interface Aside {
  kind: 'aside'
  json: object
  text: string
}

export type Result = PrintedValue | Listed | Raw | Aside

export const printed = (json: object, text: string, isFailure = false): PrintedValue => ({
  ...{ kind: 'shown', json, text },
  exitCode: isFailure ? 1 : 0,
})

/** A list from pages of rows, each column with its cell. */
export function listed<Row>(list: {
  pages: AsyncIterable<Row[]>
  columns: (TableColumn & { cell: (row: Row) => string })[]
  json: (row: Row) => object
  empty: string
  closing?: () => string | null
  hasMore?: () => boolean
  form?: 'csv' | 'json'
}): Listed {
  const { columns, json, form, closing, hasMore } = list
  async function* lines(): AsyncGenerator<OutputLine[]> {
    for await (const rows of list.pages) {
      yield rows.map((row) => ({
        json: json(row),
        cells: columns.map((column) => column.cell(row)),
      }))
    }
  }
  return {
    ...{ kind: 'listed', columns, pages: lines(), empty: list.empty },
    ...{ ...(closing && { closing }), ...(hasMore && { hasMore }), ...(form && { form }) },
  }
}

/** `33.3 %` of a share from 0 to 1. */
export const percentCell = (share: number): string => `${(share * 100).toFixed(1)} %`
