/** Prints results and refusals: as text for a terminal, or as one JSON document. */
import { ApiError } from '../../contract/errors.ts'
import { withoutKeys } from '../../core/read-key.ts'
import { csvLine } from '../../ground/csv/write-csv.ts'
import { isFullDisk, lostConnection, passesLater } from '../../database/client/database-errors.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import { exitCodeOf, CommandRefusal } from './refusal.ts'
import type { Listed, Result } from './result.ts'
import { printRefusal } from './print-refusal.ts'
import { createTable, harmlessLines } from './terminal-text.ts'

export interface Printer {
  /** Answers the exit code. */
  print(result: Result): Promise<number>
  /** The same for an error, in one line. */
  refuse(error: unknown): Promise<number>
}

export interface PrinterOptions {
  json: boolean
  stdout: NodeJS.WritableStream
  stderr: NodeJS.WritableStream
  /** Aborted: a list ends where it is. */
  signal: AbortSignal
  /** Replaces the program's name in the hints of a text by the operator's. */
  spell: (text: string) => string
}

export function createPrinter({ json, stdout, stderr, signal, spell }: PrinterOptions): Printer {
  const write = (content: string | Buffer): Promise<boolean> => writeTo(stdout, content)
  let hasStarted = false

  const printList = async (list: Listed): Promise<void> => {
    const form =
      json || list.form === 'json'
        ? jsonForm(list)
        : list.form === 'csv'
          ? csvForm(list)
          : tableForm({ ...list, empty: spell(list.empty) })
    for await (const page of list.pages) {
      const text = page.length === 0 ? '' : form.page(page)
      hasStarted ||= text !== ''
      // The reader of our output has gone (`| head`), so the rest is not read.
      if (!(await write(text)) || signal.aborted) return
    }
    await write(form.end())
  }

  return {
    async print(result) {
      if (result.kind === 'listed') await printList(result)
      else if (result.kind === 'aside')
        await writeTo(
          stderr,
          `${json ? JSON.stringify(result.json) : harmlessLines(spell(result.text))}\n`,
        )
      else if (result.kind === 'raw' && !json) await write(result.bytes)
      else if (json || result.kind === 'raw') await write(`${JSON.stringify(result.json)}\n`)
      else await write(`${harmlessLines(spell(result.text))}\n`)
      return result.kind === 'shown' ? result.exitCode : 0
    },
    async refuse(error) {
      const { code, message: plain } = explain(error)
      const message = withoutKeys(spell(plain))
      if (json && !hasStarted) await write(`${JSON.stringify({ error: { code, message } })}\n`)
      else await writeTo(stderr, `${harmlessLines(message)}\n`)
      return exitCodeOf(error)
    },
  }
}

/**
 * An expected error in one line for the operator, or one line for each wrong setting; any other
 * error is a bug.
 */
function explain(error: unknown): { code: string; message: string } {
  const message = (error instanceof Error ? error.message || error.name : String(error)).replaceAll(
    /\s+/g,
    ' ',
  )
  if (error instanceof CommandRefusal) return { code: error.code, message }
  if (error instanceof OperatorError) return { code: 'failed', message: error.message }
  if (error instanceof ApiError) return printRefusal(error)
  if (lostConnection(error))
    return {
      code: 'failed',
      message: 'The connection to the database was lost: run the command again.',
    }
  if (isFullDisk(error))
    return {
      code: 'failed',
      message: `The disk of the database is full: make room there, and run the command again. ${message}`,
    }
  if (passesLater(error))
    return {
      code: 'failed',
      message: `The database cannot do it now, so run the command again later: ${message}`,
    }
  return { code: 'internal_error', message: `Something failed that should not: ${message}` }
}

interface ListForm {
  page(lines: { json: object; cells: string[] }[]): string
  end(): string
}

/** One entry a line, so that programs can read a long document as it arrives. */
function jsonForm({ hasMore }: Listed): ListForm {
  let before = '{"data":[\n'
  return {
    page(lines) {
      const text = before + lines.map((line) => JSON.stringify(line.json)).join(',\n')
      before = ',\n'
      return text
    },
    end: () =>
      `${before === ',\n' ? '\n' : '{"data":['}]${hasMore?.() ? ',"has_more":true' : ''}}\n`,
  }
}

/** The header line stands even in an empty list: a CSV file without one is not valid. */
function csvForm({ columns }: Listed): ListForm {
  let head = csvLine(columns.map(({ title }) => title))
  return {
    page(lines) {
      const text = head + lines.map((line) => csvLine(line.cells)).join('')
      head = ''
      return text
    },
    end: () => head,
  }
}

function tableForm(list: Listed): ListForm {
  let table: ReturnType<typeof createTable> | null = null
  return {
    page(lines) {
      if (table) return table.lines(lines)
      table = createTable(list.columns, lines)
      return table.head + table.lines(lines)
    },
    end() {
      const closing = list.closing?.() ?? null
      const more = list.hasMore?.() ? 'There are more: --limit says how many are shown.\n' : ''
      return (
        (table ? '' : `${list.empty}\n`) +
        (closing === null ? '' : `${harmlessLines(closing)}\n`) +
        more
      )
    },
  }
}

/** Writes and waits until the stream accepts it; false when the reader has closed the stream. */
function writeTo(stream: NodeJS.WritableStream, content: string | Buffer): Promise<boolean> {
  if (content.length === 0) return Promise.resolve(true)
  return new Promise((resolve) => stream.write(content, (error) => resolve(!error)))
}
