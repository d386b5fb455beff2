/** Reads the style of a group of pages: the rules of all pages, then its own. */
import { readFileSync } from 'node:fs'

export const readPageStyle = (group: 'captured' | 'docs' | 'public'): string =>
  ['style.css', `${group}/style.css`]
    .map((path) => readFileSync(new URL(path, import.meta.url), 'utf8'))
    .join('')
