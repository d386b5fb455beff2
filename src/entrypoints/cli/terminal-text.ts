/**
 * Formats text for a terminal: aligned columns, and no characters that could control the terminal.
 */
import type { TableColumn, OutputLine } from './result.ts'

/**
 * Control characters and changes of direction can rewrite what is on a screen; names and subjects
 * come from others.
 */
const commanding = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
export const harmless = (text: string): string => text.replaceAll(commanding, '\ufffd')
export const harmlessLines = (text: string): string => text.split('\n').map(harmless).join('\n')

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u
const withoutWidth = /[\p{M}\p{Cf}]/u

/** The width of a text on a screen, in columns. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text)
    width += withoutWidth.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
}

/**
 * Writes lines under their titles. The first page decides the widths, because it is written before
 * later pages are read.
 */
export function createTable(
  columns: TableColumn[],
  firstPage: OutputLine[],
): { head: string; lines(page: OutputLine[]): string } {
  const widths = columns.map((column, index) =>
    firstPage.reduce(
      (max, line) => Math.max(max, widthOf(harmless(line.cells[index] ?? ''))),
      widthOf(column.title),
    ),
  )
  const row = (cells: string[]): string => {
    const padded = cells.map((cell, index) => {
      const text = harmless(cell)
      const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)))
      return columns[index]?.right ? space + text : text + space
    })
    return `${padded.join('  ').trimEnd()}\n`
  }
  return {
    head: row(columns.map((column) => column.title)),
    lines: (page) => page.map((line) => row(line.cells)).join(''),
  }
}

/** Names and values in two columns. */
export function pairs(entries: [name: string, value: string][]): string {
  const width = Math.max(...entries.map(([name]) => widthOf(name)))
  return entries
    .map(([name, value]) => `${name}${' '.repeat(width - widthOf(name))}  ${harmless(value)}`)
    .join('\n')
}
