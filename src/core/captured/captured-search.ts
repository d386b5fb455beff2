/**
 * Reads what is typed into the search of captured mails: words, `to:`, `from:` and `subject:` before
 * a word or a "quoted text", and `has:link`.
 */
import type { CapturedSearch } from '../../db/captured/captured-matches.ts'

/** Of one search; further words are ignored, because each costs a look at every mail. */
const partsMax = 10

/** A word of another form, such as `tag:vip`, is a word like any other. */
export function readCapturedSearch(text: string): CapturedSearch {
  const search: CapturedSearch = { to: [], from: [], subject: [], words: [], hasLink: false }
  const parts = text.toLowerCase().match(/(?:(?:to|from|subject):)?"[^"]*"|\S+/g) ?? []
  for (const part of parts.slice(0, partsMax)) addPart(search, part)
  return search
}

function addPart(search: CapturedSearch, part: string): void {
  if (part === 'has:link') {
    search.hasLink = true
    return
  }
  const [, field = '', value = ''] = /^(?:(to|from|subject):)?(.*)$/s.exec(part) ?? []
  const sought = value.replaceAll('"', '').trim()
  if (sought === '') return
  if (field === 'to' || field === 'from' || field === 'subject') search[field].push(sought)
  else search.words.push(sought)
}
