/** Parts of statements: what several share, lists of rows, and columns. */

/** A part that several statements share: its texts, and the values at the places between them. */
export class Fragment {
  readonly texts: readonly string[]
  readonly values: unknown[]
  constructor(texts: readonly string[], values: unknown[]) {
    this.texts = texts
    this.values = values
  }

  /** Of a fragment without values. */
  get text(): string {
    return this.texts.join('')
  }
}

/**
 * A part of statements. Its numbers and fragments are constants of ours: they become part of the
 * text.
 */
export const fragment = (
  parts: TemplateStringsArray,
  ...constants: (number | Fragment)[]
): Fragment =>
  part(
    parts,
    ...constants.map((constant) =>
      constant instanceof Fragment ? constant : new Fragment([String(constant)], []),
    ),
  )

/**
 * A part of statements with values: each becomes a parameter of the statement, and a fragment
 * stands as if it were written there.
 */
export function part(parts: TemplateStringsArray, ...given: unknown[]): Fragment {
  const texts: string[] = []
  const values: unknown[] = []
  let open = parts[0] ?? ''
  given.forEach((value, index) => {
    const inner = value instanceof Fragment ? value : new Fragment(['', ''], [value])
    for (const text of inner.texts.slice(0, -1)) {
      texts.push(open + text)
      open = ''
    }
    open += `${inner.texts.at(-1)}${parts[index + 1]}`
    values.push(...inner.values)
  })
  return new Fragment([...texts, open], values)
}

/**
 * Rows as a list, with a column for each of the named properties, an absent value as null:
 * `unnest($1::uuid[], $2::text[]) as n (id, first_name)`. `ordinality` names a further column, the
 * row's position from 1 on.
 */
export function rowList<Row extends object>(
  rows: readonly Row[],
  name: string,
  properties: { readonly [Type in ColumnType]?: readonly (keyof Row & string)[] },
  ordinality?: string,
): Fragment {
  const typed = Object.entries(properties).flatMap(([type, keys]) =>
    keys.map((key) => ({ type, key })),
  )
  const columns = typed.map(({ key }) =>
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
  if (ordinality !== undefined) columns.push(ordinality)
  const end = `)${ordinality === undefined ? '' : ' with ordinality'} as ${name} (${columns.join(', ')})`
  const texts = typed.map(
    ({ type }, index) => `::${type}[]${index === typed.length - 1 ? end : ', '}`,
  )
  const values = typed.map(({ key }) => rows.map((row) => row[key] ?? null))
  return new Fragment(['unnest(', ...texts], values)
}

type ColumnType =
  | 'boolean'
  | 'smallint'
  | 'int'
  | 'bigint'
  | 'float8'
  | 'text'
  | 'uuid'
  | 'timestamptz'
  | 'bytea'
  | 'jsonb'

/**
 * Columns as a part of statements: constants of ours, which become part of the text. A text that is
 * no column is refused.
 */
export function columnList(columns: readonly string[]): Fragment {
  const strange = columns.find(
    (column) => !/^(?:[a-z]\.)?[a-z_]+(?: as "[A-Za-z]+")?$/.test(column),
  )
  if (strange !== undefined) throw new Error(`Not a column: ${strange}`)
  return new Fragment([columns.join(', ')], [])
}
