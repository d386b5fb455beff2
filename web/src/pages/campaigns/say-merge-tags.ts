/**
 * Words a subject or preview line with its merge tags for a user: each is its default, or the name
 * of what stands there.
 */
import type { TFunction } from 'i18next'
import { sayTag } from './editor/say-finding.ts'

/** A tag with or without a default, or a literal text (src/mail/merge/merge-tags.ts). */
const tagPattern =
  /\{\{\s*(?:(?<name>[\w.-]+)\s*(?:\|\s*default\s*:\s*)?)?(?:"(?<double>[^"]*)"|'(?<single>[^']*)')?\s*\}\}/g

export const sayMergeTags = (text: string, t: TFunction<'drafts'>): string =>
  text.replaceAll(tagPattern, (...match) => {
    const { name, double, single } = match.at(-1) as Record<string, string | undefined>
    const fallback = double ?? single ?? ''
    return fallback === '' && name !== undefined ? `[${sayTag(name, t)}]` : fallback
  })
