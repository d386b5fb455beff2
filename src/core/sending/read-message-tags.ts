/**
 * Normalizes message tags: unsuitable characters are rewritten, never refused (spec: EmailRequest,
 * tags; semantics 4).
 */
import type { EmailRequest } from '../../contract/emails.ts'
import { limits } from '../../contract/limits.ts'
import { shapeError } from '../input/shape-error.ts'

/**
 * Both forms become one object; if rewriting makes two names equal, the last one wins. Returns null
 * without tags. Throws for a name that is too long: rewriting keeps its length, and cut names could
 * become equal.
 */
export function readMessageTags(
  tags: NonNullable<EmailRequest['tags']>,
  path: string,
): Record<string, string> | null {
  const entries = Array.isArray(tags)
    ? tags.map((tag) => [tag.name, tag.value] as const)
    : Object.entries(tags)
  if (entries.length === 0) return null
  for (const [name] of entries) {
    if (rewrite(name).length > limits.tagNameMax)
      throw shapeError([{ path, rule: 'tag_name', limit: limits.tagNameMax }])
  }
  return Object.fromEntries(
    entries.map(([name, value]) => [rewrite(name), rewrite(value).slice(0, limits.tagValueMax)]),
  )
}

// Matches code points, so that one character outside the set becomes one `_`.
const rewrite = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/gu, '_')
