/**
 * Validates the parts that all kinds of content share: texts with merge tags, addresses, colours,
 * HTML.
 */
import { misleadingCharacter } from '../../ground/address.ts'
import { validateLinkAddress, normaliseTags, type AddressUse } from '../merge/content-address.ts'
import type { ProblemLocation, Problems } from './content-problems.ts'
import { writtenAddresses } from '../merge/inline-text.ts'
import { createMarkTable } from '../merge/mark-table.ts'
import { findForeignSyntax } from './foreign-syntax.ts'
import { readTags } from '../merge/merge-tags.ts'
import { HtmlProblem, sanitiseFragment, sanitisePage } from '../html/sanitise-html.ts'
import { withoutMarks } from '../merge/slots.ts'

/**
 * The text without control characters but line ends and tabs; reports the merge tags that it cannot
 * read.
 */
export function validateTags(text: string, location: ProblemLocation, problems: Problems): string {
  const foreign = findForeignSyntax(text)
  for (const { value, ours } of foreign)
    problems.add({ ...location, rule: 'template_syntax', value, allowed: [ours] })
  for (const piece of readTags(text)) {
    const isForeign =
      'malformed' in piece && foreign.some(({ value }) => piece.malformed.startsWith(value))
    if ('malformed' in piece && !isForeign)
      problems.add({ ...location, rule: 'merge_tag', value: piece.malformed.slice(0, 60) })
  }
  return withoutMarks(text).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, '')
}

/**
 * A line may hold no control character, and none that changes the direction of reading, as display
 * names may not.
 */
export function validateCharacters(
  line: string,
  location: ProblemLocation,
  problems: Problems,
): void {
  const result = misleadingCharacter(line)
  if (result !== null) problems.add({ ...location, rule: 'misleading_character', found: result })
  else if (/[\p{Cc}\u2028\u2029]/u.test(line))
    problems.add({ ...location, rule: 'control_character' })
}

/**
 * As `validateTags`, of a text with links: all recipients would see a broken link as it is written.
 */
export function validateInline(
  text: string,
  location: ProblemLocation,
  problems: Problems,
): string {
  const checked = validateTags(text, location, problems)
  const table = createMarkTable()
  for (const marked of writtenAddresses(table.markTags(checked))) {
    const address = normaliseTags(table.unmark(marked))
    const rule = validateLinkAddress(address, 'link')
    if (rule !== null) problems.add({ ...location, rule, value: address.slice(0, 200) })
  }
  return checked
}

export function validateAddressField(
  address: string,
  { use, ...location }: ProblemLocation & { use: AddressUse },
  problems: Problems,
): string {
  const trimmed = validateTags(address.trim(), location, problems)
  const rule = validateLinkAddress(trimmed, use)
  if (rule !== null) problems.add({ ...location, rule, value: trimmed.slice(0, 200) })
  return trimmed
}

const colorPattern = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

export function validateColor(
  color: string,
  location: ProblemLocation,
  problems: Problems,
): string {
  if (!colorPattern.test(color))
    problems.add({ ...location, rule: 'color', value: color.slice(0, 60) })
  return color.toLowerCase()
}

/**
 * The author's raw HTML, because each rendering sanitises it. Reports the problems that no repair
 * can fix.
 */
export function validateHtml(html: string, location: ProblemLocation, problems: Problems): string {
  const text = validateTags(html, location, problems)
  try {
    if (location.index === undefined) sanitisePage(text, createMarkTable())
    else sanitiseFragment(text, createMarkTable())
  } catch (error) {
    if (!(error instanceof HtmlProblem)) throw error
    problems.add({
      ...location,
      rule: error.rule,
      ...(error.value === null ? {} : { value: error.value.slice(0, 200) }),
    })
  }
  return text
}
