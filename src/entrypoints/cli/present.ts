/**
 * Presents any answer to a person: names and values in two columns, lists as tables, times and
 * numbers as people read them.
 */
import { shownNumber, shownTime } from './result.ts'
import { createTable, pairs } from './terminal-text.ts'

type Value = Record<string, unknown>

const isObject = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isTable = (value: unknown): value is Value[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject)

/**
 * Single values first, then a section for each object and each list of objects. Null and empty
 * lists are left out.
 */
export function present(answer: object): string {
  const entries = Object.entries(answer).filter(
    ([name, value]) =>
      name !== 'object' && value !== null && !(Array.isArray(value) && value.length === 0),
  )
  const isSection = ([, value]: [string, unknown]): boolean => isObject(value) || isTable(value)
  const single = entries.filter((entry) => !isSection(entry))
  const sections = entries.filter(isSection).map(([name, value]) => {
    const text = isTable(value) ? table(value) : present(Object(value))
    return `${titleOf(name)}:\n${text.replaceAll(/^(?=.)/gm, '  ')}`
  })
  const head = single.map(([name, value]): [string, string] => [titleOf(name), withZone(value)])
  return [...(head.length > 0 ? [pairs(head)] : []), ...sections].join('\n\n')
}

/** `created_at` and `createdAt` are `Created`. */
export function titleOf(name: string): string {
  const words = name
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll('_', ' ')
    .replace(/ at$/, '')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A value in a cell of a table whose title names the zone. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number')
    return Number.isInteger(value) ? shownNumber(value) : String(Number(value.toFixed(3)))
  if (Array.isArray(value)) return value.map(cellOf).join(', ') || '-'
  if (isObject(value))
    return Object.entries(value)
      .map(([name, inner]) => `${titleOf(name).toLowerCase()} ${cellOf(inner)}`)
      .join(', ')
  if (isTime(value)) return shownTime(new Date(value))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)$/.test(value)

const withZone = (value: unknown): string =>
  isTime(value) ? `${cellOf(value)} UTC` : cellOf(value)

function table(rows: Value[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => row[name] !== null),
  )
  const columns = names.map((name) => ({
    title: titleOf(name).toUpperCase(),
    ...(rows.every((row) => typeof row[name] === 'number') && { right: true as const }),
  }))
  const lines = rows.map((row) => ({ json: row, cells: names.map((name) => cellOf(row[name])) }))
  const { head, lines: write } = createTable(columns, lines)
  return (head + write(lines)).trimEnd()
}
