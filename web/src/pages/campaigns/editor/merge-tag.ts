/** Writes merge tags into what the user typed. */
import type { TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'

/** The length of a default that is typed by itself. */
export const fallbackMax = 200

/** The service reads a default in quotes of the kind that it does not contain. */
export function writeTag(name: string, fallback: string): string {
  if (fallback === '') return `{{${name}}}`
  const quote = fallback.includes('"') ? "'" : '"'
  return `{{${name} | default: ${quote}${fallback.replaceAll(quote, '’')}${quote}}}`
}

/** Gives each tag of this name that has no default this one, wherever it stands. */
export function withDefault(
  typed: TypedDraft,
  { name, fallback }: { name: string; fallback: string },
): Partial<TypedDraft> {
  const bare = new RegExp(
    `\\{\\{\\s*${name.replace('.', '\\.')}\\s*(?:\\|\\s*default\\s*:\\s*(?:""|'')\\s*)?\\}\\}`,
    'g',
  )
  const tag = writeTag(name, fallback)
  const { subject, preheader, text, html, content } = typed
  const fill = (words: string): string => words.replaceAll(bare, () => tag)
  return {
    ...{ subject: fill(subject), preheader: fill(preheader), text: fill(text), html: fill(html) },
    // Texts stand at any depth of a block.
    content: JSON.parse(JSON.stringify(content), (_, value: unknown) =>
      typeof value === 'string' ? fill(value) : value,
    ),
  }
}
