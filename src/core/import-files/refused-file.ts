/** Writes the refused lines of an import as a file for spreadsheets. */
import type { Language } from '../../contract/errors.ts'
import type { OutgoingFile } from '../../contract/operation.ts'
import { csvLine } from '../../csv/write-csv.ts'
import type { Database } from '../../db/connection/database.ts'
import { importRefusalPage, type ImportRefusal } from '../../db/subscribers/import-refusals.ts'
import { explainReason } from './import-reasons.ts'

/** Writes all refused lines, one each. `first`: those that are stored elsewhere. */
export function refusedFile(
  db: Database,
  workspaceId: number,
  { id, name, language, first = [] }: { id: string; name: string; language: Language; first?: ImportRefusal[] },
): OutgoingFile {
  const lines = linesOf(db, workspaceId, { id, language, first })
  return { type: 'text/csv; charset=utf-8', name: `refused-${name}.csv`, bytes: lines }
}

const pageSize = 1_000

async function* linesOf(
  db: Database,
  workspaceId: number,
  { id, language, first }: { id: string; language: Language; first: ImportRefusal[] },
): AsyncGenerator<Buffer> {
  const write = (lines: ImportRefusal[]): string =>
    lines.map(({ line, reason, email }) => csvLine([String(line), reason, email, explainReason(reason)[language]])).join('')
  yield Buffer.from(`\ufeff${csvLine(['line', 'reason', 'email', 'explanation'])}${write(first)}`)
  for (let after = 0; ;) {
    const page = await importRefusalPage(db, workspaceId, id, { after, max: pageSize })
    const last = page.at(-1)
    if (!last) return
    yield Buffer.from(write(page))
    after = last.line
  }
}
