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
    ...constants.map((each) => (typeof each === 'number' ? new Fragment([`${each}`], []) : each)),
  )

/**
 * A part of statements with values: each becomes a parameter of the statement, and a fragment
 * stands as if it were written there. Its texts are made again only when those within it differ.
 */
export function part(parts: TemplateStringsArray, ...values: unknown[]): Fragment {
  const known = knownParts.get(parts)
  if (known !== undefined && hasTexts(values, known.inner))
    return known.fragment.values.length === 0
      ? known.fragment
      : new Fragment(known.fragment.texts, valuesOf(values))
  const created = makePart(parts, values)
  knownParts.set(parts, { fragment: created, inner: values.map(textsWithin) })
  return created
}

/** With the texts of the fragments that stood in it. */
const knownParts = new WeakMap<TemplateStringsArray, { fragment: Fragment; inner: Texts[] }>()

/** Null means of a value. */
type Texts = readonly string[] | null

export const textsWithin = (value: unknown): Texts =>
  value instanceof Fragment ? value.texts : null

/** Whether fragments with these texts, and values, stand there in this order. */
export function hasTexts(values: readonly unknown[], inner: readonly Texts[]): boolean {
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    const item = value instanceof Fragment ? value.texts : null
    const other = inner[index] ?? null
    if (item !== other && item?.join('\0') !== other?.join('\0')) return false
  }
  return true
}

export function valuesOf(inserted: readonly unknown[]): unknown[] {
  const values: unknown[] = []
  for (const value of inserted)
    if (value instanceof Fragment) values.push(...value.values)
    else values.push(value)
  return values
}

function makePart(parts: TemplateStringsArray, values: unknown[]): Fragment {
  const texts: string[] = []
  let open = parts[0] ?? ''
  values.forEach((value, index) => {
    const inner = textsWithin(value) ?? ['', '']
    for (const text of inner.slice(0, -1)) {
      texts.push(open + text)
      open = ''
    }
    open += `${inner.at(-1)}${parts[index + 1]}`
  })
  return new Fragment([...texts, open], valuesOf(values))
}

/** The columns of a list by their types, as properties of its rows. */
type Columns<Row> = { readonly [Type in ColumnType]?: readonly (keyof Row & string)[] }

/**
 * Rows as a list, with a column for each of the named properties, an absent value as null:
 * `unnest($1::uuid[], $2::text[]) as n (id, first_name)`. `ordinality` names a further column, the
 * row's position from 1 on.
 */
export const rowList = <Row extends object>(
  rows: readonly Row[],
  name: string,
  properties: Columns<Row>,
  ordinality?: string,
): Fragment => rowShape(name, properties, ordinality)(rows)

/** The same of any rows, with its texts made once. */
export function rowShape<Row extends object>(
  name: string,
  properties: Columns<Row>,
  ordinality?: string,
): (rows: readonly Row[]) => Fragment {
  const all = Object.entries(properties)
  const typed = all.flatMap(([type, keys]) => keys.map((key) => ({ type, key })))
  const columns = typed.map(({ key }) => columnOf(key))
  if (ordinality !== undefined) columns.push(ordinality)
  const end = `)${ordinality === undefined ? '' : ' with ordinality'} as ${name} (${columns.join(', ')})`
  const ends = typed.map(({ type }, at) => `::${type}[]${at === typed.length - 1 ? end : ', '}`)
  const texts = ['unnest(', ...ends]
  return (rows) => {
    const values: unknown[][] = []
    for (const { key } of typed) {
      const column: unknown[] = []
      for (const row of rows) column.push(row[key] ?? null)
      values.push(column)
    }
    return new Fragment(texts, values)
  }
}

/** `sentAt` is `sent_at`. */
export const columnOf = (property: string): string =>
  property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

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
  const strange = columns.find((column) => !/^(?:[a-z]\.)?[a-z_]+(?: as [a-z_]+)?$/.test(column))
  if (strange !== undefined) throw new Error(`Not a column: ${strange}`)
  return new Fragment([columns.join(', ')], [])
}
