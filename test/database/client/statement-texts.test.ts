/**
 * The text of a statement follows its parts, also where the same template had other parts before.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnList, fragment, part, rowShape } from '../../../src/database/client/fragment.ts'
import { sql } from '../../../src/database/client/sql.ts'

test('one template with other fragments is another statement, and each has its values in order', () => {
  const select = (columns: string[], id: number) =>
    sql`select ${columnList(columns)} from t where id = ${id}`
  const first = select(['a'], 1)
  const other = select(['a', 'b'], 2)
  const again = select(['a'], 3)
  assert.deepEqual([first.text, first.values], ['select a from t where id = $1', [1]])
  assert.deepEqual([other.text, other.values], ['select a, b from t where id = $1', [2]])
  assert.deepEqual([again.text, again.values, again.name], [first.text, [3], first.name])
  assert.notEqual(other.name, first.name)
})

test('fragments with values have them where they stand, in each call', () => {
  const named = (name: string) => part`name = ${name} and kind = any (${['x', name]})`
  const select = (name: string, id: number) =>
    sql`select 1 from t where id = ${id} and ${named(name)} or id = ${[id]}`
  for (const [name, id] of [['a', 1] as const, ['b', 2] as const]) {
    const { text, values } = select(name, id)
    assert.equal(text, 'select 1 from t where id = $1 and name = $2 and kind = any ($3) or id = $4')
    assert.deepEqual(values, [id, name, ['x', name], [id]])
  }
})

test('a value where a fragment stood becomes a parameter', () => {
  const select = (value: unknown) => sql`select ${value}`
  assert.equal(select(fragment`1`).text, 'select 1')
  assert.deepEqual([select(1).text, select(1).values], ['select $1', [1]])
  assert.equal(select(fragment`1`).text, 'select 1')
})

test('a part follows the parts within it, and has its values in each call', () => {
  const inner = (column: string) => part`${columnList([column])} = ${column}`
  const outer = (column: string, id: number) => part`id = ${id} and (${inner(column)})`
  for (const column of ['a', 'b', 'a', 'a', 'b']) {
    const { text, values } = sql`select ${outer(column, 1)}`
    assert.equal(text, `select id = $1 and (${column} = $2)`)
    assert.deepEqual(values, [1, column])
  }
})

test('a list has its texts once, and the rows of each call', () => {
  const list = rowShape<{ firstName: string | null; at?: number }>(
    'n',
    { text: ['firstName'], int: ['at'] },
    'place',
  )
  for (const rows of [[{ firstName: 'Ada', at: 1 }, { firstName: null }], []]) {
    const { text, values } = sql`select from ${list(rows)}`
    assert.equal(
      text,
      'select from unnest($1::text[], $2::int[]) with ordinality as n (first_name, at, place)',
    )
    assert.deepEqual(values, [
      rows.map(({ firstName }) => firstName),
      rows.map((row) => ('at' in row ? row.at : null)),
    ])
  }
  assert.equal(list([]).texts, list([]).texts)
})
