/** Writes the refused lines of an import as a file for spreadsheets. */
import type { Language } from '../../contract/errors.ts'
import type { OutgoingFile } from '../../contract/operation.ts'
import type { Database } from '../../database/client/database.ts'
import {
  importRefusalPage,
  type FileLayout,
  type ImportRefusal,
} from '../../db/files/import-refusals.ts'
import { refusedHeader, writeRefused } from './refused-lines.ts'

interface RefusedFile {
  id: string
  name: string
  language: Language
  /** Null means of the lines only their addresses are stored. */
  layout: FileLayout | null
  /** Refused lines that are stored elsewhere. */
  first?: ImportRefusal[]
}

/** Writes all refused lines in their order, as they stood in their file. */
export const refusedFile = (
  db: Database,
  workspaceId: number,
  file: RefusedFile,
): OutgoingFile => ({
  type: 'text/csv; charset=utf-8',
  name: `refused-${file.name}.csv`,
  bytes: linesOf(db, workspaceId, file),
})

const addressOnly: FileLayout = {
  header: 'email',
  lineEnd: '\r\n',
  delimiter: ',',
  columns: 1,
  email: 0,
}

const pageSize = 1_000

async function* linesOf(
  db: Database,
  workspaceId: number,
  file: RefusedFile,
): AsyncGenerator<Buffer> {
  const { id, language, first = [] } = file
  const layout = file.layout ?? addressOnly
  const earlier = first
    .map((line) => writeRefused(layout, { ...line, content: null }, language))
    .join('')
  yield Buffer.from(`\ufeff${refusedHeader(layout, language)}${earlier}`)
  for (let after = 0; ;) {
    const page = await importRefusalPage(db, workspaceId, id, { after, max: pageSize })
    const last = page.at(-1)
    if (!last) return
    yield Buffer.from(page.map((line) => writeRefused(layout, line, language)).join(''))
    after = last.line
  }
}
