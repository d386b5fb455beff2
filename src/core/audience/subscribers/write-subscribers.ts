/** Writes subscribers as CSV that imports can read again. */
import { csvLine } from '../../../ground/csv/write-csv.ts'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import type { SubscriberColumn } from './subscriber-columns.ts'

/** Begins with a byte order mark: without it, spreadsheets misread UTF-8. */
export async function* writeSubscribers(
  columns: SubscriberColumn[],
  pages: AsyncIterable<SubscriberRow[]>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`\ufeff${csvLine(columns.map(({ title }) => title))}`)
  for await (const contacts of pages)
    yield Buffer.from(
      contacts.map((contact) => csvLine(columns.map(({ value }) => value(contact)))).join(''),
    )
}
