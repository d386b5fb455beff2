/** Walks through a list, page after page, as long as the caller wants more. */
import type { CallOptions } from './call.ts'

interface Page<Entry> {
  data: Entry[]
  has_more: boolean
  next_cursor: string
}

/**
 * Every entry of a list, newest first: `for await (const email of each(facteur.listEmails, {
 * status: 'bounced' }))`. The next page is asked for when the one before has been walked through.
 */
export async function* each<Query extends { cursor?: string | undefined }, Entry>(
  list: (query?: Query, options?: CallOptions) => Promise<Page<Entry>>,
  query?: NoInfer<Query>,
  options: CallOptions = {},
): AsyncGenerator<Entry, void, undefined> {
  let page = await list(query, options)
  yield* page.data
  while (page.has_more) {
    page = await list(behind(query, page.next_cursor), options)
    yield* page.data
  }
}

/** The same question, from the cursor on. */
const behind = <Query extends { cursor?: string | undefined }>(
  query: Query | undefined,
  cursor: string,
): Query => ({ ...query, cursor }) as Query
