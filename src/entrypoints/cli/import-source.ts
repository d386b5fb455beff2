/**
 * Opens the file that a command imports: in place, or copied from standard input so that it can be
 * read twice.
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { OpenBytes } from '../../ground/csv/inspect-csv.ts'
import { CsvError, type CsvRule } from '../../ground/csv/read-csv.ts'
import { CommandRefusal } from './refusal.ts'

export interface ImportSource {
  name: string
  /** Of the file, or of the copy of standard input. */
  path: string
  /** Its length. */
  bytes: number
  open: OpenBytes
}

/** `-` is standard input. A file that is no CSV is refused in the operator's words. */
export async function withImportSource<T>(
  file: string,
  signal: AbortSignal,
  work: (source: ImportSource) => Promise<T>,
): Promise<T> {
  const folder = file === '-' ? mkdtempSync(join(tmpdir(), 'facteur-import-')) : null
  try {
    const path = folder === null ? file : await keepStandardInput(folder, signal)
    const bytes = sizeOf(path)
    return await work({
      name: file === '-' ? 'standard input' : basename(file),
      ...{ path, bytes },
      open: () => createReadStream(path, { highWaterMark: pieceBytes }),
    })
  } catch (error) {
    throw error instanceof CsvError
      ? new CommandRefusal(
          'refused',
          `${file === '-' ? 'Standard input' : file}: ${explain(error)}`,
        )
      : error
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
}

const pieceBytes = 64 * 1024

async function keepStandardInput(folder: string, signal: AbortSignal): Promise<string> {
  const path = join(folder, 'input.csv')
  await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }), { signal })
  return path
}

function sizeOf(path: string): number {
  try {
    const file = statSync(path)
    if (file.isFile()) return file.size
    throw new CommandRefusal('refused', `${path} is not a file.`)
  } catch (error) {
    if (error instanceof CommandRefusal) throw error
    const code = (error as NodeJS.ErrnoException).code
    throw new CommandRefusal(
      'not_found',
      code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`,
    )
  }
}

function explain({ rule, line }: CsvError): string {
  const problems: Record<CsvRule, string> = {
    empty: 'it is empty: the first line names the columns.',
    unclosed_quote: `the quote that opens in the record of line ${line} is never closed.`,
    record_too_long: `line ${line} is longer than a million characters: this is no list of people.`,
    not_utf8: `line ${line} is not UTF-8: save the file as "CSV UTF-8", or convert it (iconv -f WINDOWS-1252 -t UTF-8).`,
    utf16: 'it is UTF-16: save it as "CSV UTF-8".',
  }
  return problems[rule]
}
