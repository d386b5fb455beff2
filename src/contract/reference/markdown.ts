/** Provides the few forms of Markdown that the reference uses. */
import type { Json } from '../json-schema.ts'

export function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(cell).join(' | ')} |`)
    .join('\n')
}

/** A bar inside a cell would end it, in code too (GFM 4.10). */
const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)

export const code = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

export const json = (value: Json): string => code('json', JSON.stringify(value, null, 2))

export const folded = (title: string, text: string, state: 'open' | 'closed' = 'closed'): string =>
  `<details${state === 'open' ? ' open' : ''}><summary>${title}</summary>\n\n${text}\n\n</details>`

export const titled = (title: string, text: string | undefined): string | undefined =>
  text && `**${title}**\n\n${text}`

/** The anchor of a heading, as code hosts and our own pages form it. */
export const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
