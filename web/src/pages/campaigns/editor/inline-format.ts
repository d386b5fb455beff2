/**
 * The inside of a paragraph, as it is stored and as it is edited: `**bold**`, `*italic*`,
 * `[text](address)`, `\*` for the sign itself, and merge tags, which are one piece whatever stands
 * in them. The service's renderer reads the same.
 */

export interface InlineStyle {
  bold: boolean
  italic: boolean
  href: string | null
}

/** A stretch of one look; a merge tag is one of its own. */
export type Run = InlineStyle & ({ text: string } | { tag: string })

const tagPattern = /\{\{(?:[^{}"']|"[^"]*"|'[^']*')*\}\}/g

/**
 * Each tag is one character while the reader looks for marks, so that it finds none inside of a
 * tag.
 */
function hideTags(text: string): { hidden: string; tags: string[] } {
  const tags: string[] = []
  const hidden = text.replace(/[\ue000-\uf8ff]/g, '').replace(tagPattern, (tag) => {
    tags.push(tag)
    return String.fromCharCode(0xe000 + Math.min(tags.length - 1, 0x18ff))
  })
  return { hidden, tags }
}

const showTags = (hidden: string, tags: readonly string[]): string =>
  hidden.replace(/[\ue000-\uf8ff]/g, (mark) => tags[mark.charCodeAt(0) - 0xe000] ?? '')

const tagMark = /[\ue000-\uf8ff]/

type Token =
  | { text: string }
  | { sign: '**' | '*'; opens: boolean; closes: boolean }
  | { href: string; label: Token[] }

const signPattern =
  /\\([\\*[\]()])|\*\*|\*|\[((?:[^[\]\\]|\\.)*)\]\(\s*([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*)\s*\)/g

/** Neighbours may have one look: the editor joins them. */
export function readInline(text: string): Run[] {
  const { hidden, tags } = hideTags(text)
  return styleAt(tokenise(hidden), { bold: false, italic: false, href: null }).flatMap(
    ({ text: part, ...style }) =>
      part
        .split(/([\ue000-\uf8ff])/)
        .filter((piece) => piece !== '')
        .map((piece): Run => {
          const href = style.href === null ? null : showTags(style.href, tags)
          return tagMark.test(piece)
            ? { ...style, href, tag: showTags(piece, tags) }
            : { ...style, href, text: piece }
        }),
  )
}

function tokenise(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (const match of text.matchAll(signPattern)) {
    const [source, escaped, label, address] = match
    if (match.index > at) tokens.push({ text: text.slice(at, match.index) })
    at = match.index + source.length
    if (escaped !== undefined) tokens.push({ text: escaped })
    else if (source === '**' || source === '*') {
      const opens = !/\s/.test(text[at] ?? ' ')
      tokens.push({ sign: source, opens, closes: !/\s/.test(text[match.index - 1] ?? ' ') })
    } else tokens.push({ href: address ?? '', label: tokenise(label ?? '') })
  }
  if (at < text.length) tokens.push({ text: text.slice(at) })
  return tokens
}

/** A mark without its partner is text. */
function styleAt(tokens: readonly Token[], style: InlineStyle): (InlineStyle & { text: string })[] {
  const paired = pairSigns(tokens)
  let { bold, italic } = style
  return tokens.flatMap((token, index) => {
    const now = { ...style, bold, italic }
    if ('label' in token) return styleAt(token.label, { ...now, href: token.href })
    if ('text' in token) return [{ ...now, text: token.text }]
    if (!paired.has(index)) return [{ ...now, text: token.sign }]
    if (token.sign === '**') bold = !bold
    else italic = !italic
    return []
  })
}

function pairSigns(tokens: readonly Token[]): Set<number> {
  const paired = new Set<number>()
  const open = new Map<string, number>()
  for (const [index, token] of tokens.entries()) {
    if (!('sign' in token)) continue
    const opened = open.get(token.sign)
    if (opened !== undefined && token.closes) {
      paired.add(opened).add(index)
      open.delete(token.sign)
    } else if (token.opens) open.set(token.sign, index)
  }
  return paired
}

/**
 * `readInline` reads the result back as the same runs. A link's words and the text around it have
 * marks of their own.
 */
export function writeInline(runs: readonly Run[]): string {
  const groups: Run[][] = []
  // A link on blanks alone is no link.
  const shown = runs.map((run) =>
    'text' in run && run.text.trim() === '' ? { ...run, href: null } : run,
  )
  for (const run of shown.filter((each) => 'tag' in each || each.text !== '')) {
    const last = groups.at(-1)
    if (last && last[0]?.href === run.href) last.push(run)
    else groups.push([run])
  }
  return groups
    .map((group) => {
      const href = group[0]?.href ?? null
      const words = writeRuns(group)
      return href === null || words === '' ? words : `[${words}](${encodeAddress(href)})`
    })
    .join('')
}

/** Blanks and brackets end an address, except those of merge tags in it. */
function encodeAddress(href: string): string {
  const { hidden, tags } = hideTags(href.trim())
  const encoded = hidden.replace(
    /[\s<>()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  )
  return showTags(encoded, tags)
}

function writeRuns(runs: readonly Run[]): string {
  let written = ''
  let open: Pick<InlineStyle, 'bold' | 'italic'> = { bold: false, italic: false }
  // A mark beside a blank opens or closes nothing: blanks at the edge of a look stand outside of
  // it.
  let blanks = ''
  const turn = (to: Pick<InlineStyle, 'bold' | 'italic'>): void => {
    const closing = `${open.italic && !to.italic ? '*' : ''}${open.bold && !to.bold ? '**' : ''}`
    const opening = `${!open.bold && to.bold ? '**' : ''}${!open.italic && to.italic ? '*' : ''}`
    written += closing + blanks + opening
    blanks = ''
    open = to
  }
  for (const run of runs) {
    const [, before = '', middle = '', behind = ''] =
      'tag' in run ? ['', '', run.tag, ''] : (/^(\s*)([^]*?)(\s*)$/.exec(run.text) ?? [])
    blanks += before
    if (middle === '') {
      blanks += behind
      continue
    }
    turn(run)
    written += 'tag' in run ? middle : middle.replace(/[\\*[\]]/g, '\\$&')
    blanks = behind
  }
  turn({ bold: false, italic: false })
  return written
}
