/** Reads the tag lists that DKIM and DMARC records are written in (RFC 6376 3.2). */

/**
 * `name=value; …` with white space around each; names in lower case, of a tag given twice the last.
 */
export function readTagList(text: string): Map<string, string> {
  const tags = new Map<string, string>()
  for (const part of text.split(';')) {
    const at = part.indexOf('=')
    if (at > 0) tags.set(part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim())
  }
  return tags
}
