/**
 * Undoes format=flowed (RFC 3676 4): a paragraph is one line again. The mail leaves without the
 * parameter, and readers would break its lines where the program did.
 */
export function unwrapFlowed(text: string, deletesSpace: boolean): string {
  const paragraphs: { quotes: string; content: string; isOpen: boolean }[] = []
  for (const line of text.split('\r\n')) {
    const [, quotes = '', stuffed = ''] = /^(>*)(.*)$/s.exec(line) ?? []
    const content = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed
    // 4.3: the line before a signature is never part of a paragraph.
    const isSignature = content === '-- '
    const isOpen = content.endsWith(' ') && !isSignature
    const own = isOpen && deletesSpace ? content.slice(0, -1) : content
    const last = paragraphs.at(-1)
    if (last?.isOpen && last.quotes === quotes && !isSignature) {
      last.content += own
      last.isOpen = isOpen
    } else paragraphs.push({ quotes, content: own, isOpen })
  }
  return paragraphs
    .map(({ quotes, content }) => (quotes === '' ? content : `${quotes} ${content}`))
    .join('\r\n')
}
