/** Writes statements of the catalog as we write them, the same from every version of PostgreSQL. */

/** Texts, names in quotes and bodies, and what stands between them. */
const tokens = /'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[^]*?\$\1\$|[^'"$]+|\$/g

/** In lower case outside of quotes, and without what PostgreSQL adds to what was written. */
export const plainSql = (statement: string): string =>
  statement
    .replaceAll(tokens, (token) => (/^['"$]/.test(token) ? token : token.toLowerCase()))
    .replaceAll(/('(?:[^']|'')*')::(?:text|name)\b(?!\[)/g, '$1')
    .replaceAll(/ = any \(array\[((?:'(?:[^']|'')*'(?:, )?)+)\]\)/g, ' in ($1)')
    .replaceAll(/ <> all \(array\[((?:'(?:[^']|'')*'(?:, )?)+)\]\)/g, ' not in ($1)')
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll(' using btree (', ' (')
    .replaceAll(/(\breferences \w+)\(/g, '$1 (')

/** A view of one table with other names: a line, and its columns without the table's name. */
export function plainView(statement: string): string {
  const line = statement.replaceAll(/\s+/g, ' ')
  const [, start = '', columns = '', table = ''] =
    /^(create view \w+ as )(select [^()]+) from (\w+);$/.exec(line) ?? []
  return table === '' ? statement : `${start}${columns.replaceAll(`${table}.`, '')} from ${table};`
}

const widthMax = 100
const texts = /'(?:[^']|'')*'/g

/** As lines, cut before a clause where that is possible; the rest stands four spaces further in. */
export function wrapped(line: string, further = '    '): string[] {
  if (line.length <= widthMax) return [line]
  const indent = /^ */.exec(line)?.[0].length ?? 0
  const cuttable = line.replace(texts, (quoted) => '_'.repeat(quoted.length)).slice(0, widthMax + 1)
  const clauses = [...cuttable.matchAll(/ (?=(?:where|when|for each|execute|with|check|from) )/g)]
  const cut =
    clauses.findLast(({ index }) => index > indent + 10)?.index ?? cuttable.lastIndexOf(' ')
  if (cut <= indent) return [line]
  const [first, rest] = [line.slice(0, cut), line.slice(cut + 1)]
  return [first, ...wrapped(`${' '.repeat(indent)}${further}${rest}`, '')]
}
