/**
 * Long lists as pages: each begins after the last row of the previous one, so none costs more than
 * the first.
 */
const pageSize = 500

export interface KeysetPage<Place = { at: string; id: string }> {
  max: number
  before: Place | null
}

export async function* keysetPages<Row, Place>(
  read: (page: KeysetPage<Place>) => Promise<Row[]>,
  placeOf: (row: Row) => Place,
): AsyncGenerator<Row[]> {
  for (let before: Place | null = null; ;) {
    const rows: Row[] = await read({ max: pageSize, before })
    const last = rows.at(-1)
    if (!last) return
    yield rows
    if (rows.length < pageSize) return
    before = placeOf(last)
  }
}
