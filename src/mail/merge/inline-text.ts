/**
 * Parses the inside of a paragraph: `**bold**`, `*italic*`, `[text](address)`, `\*` for the sign
 * itself; bare addresses become links. It reads marked text (slots.ts), so a merge tag may be
 * anywhere, an address included. It takes time linear in the text.
 */
import type { MarkTable } from './mark-table.ts'

/** A stretch of text of one look. */
export interface InlineRun {
  text: string
  bold: boolean
  italic: boolean
  /** Where it leads, marked; null for plain text. Neighbours with the same object are one link. */
  link: { to: string } | null
}

export type InlineSyntax = 'formatted' | 'plain'

/** `plain`: signs mean nothing, only bare addresses become links, as in the `text` format. */
export function readInline(marked: string, syntax: InlineSyntax, table: MarkTable): InlineRun[] {
  const tokens = syntax === 'plain' ? [{ text: marked }] : tokenise(marked, table)
  return applyStyles(tokens).flatMap((run) =>
    run.link === null ? findAddresses(run, table) : [run],
  )
}

type Token =
  | { text: string }
  | { sign: '**' | '*'; opens: boolean; closes: boolean }
  | { link: { to: string }; label: Token[] }

/** Escapes, signs, links; whatever comes first. */
const signPattern =
  /\\([\\*[\]()])|\*\*|\*|\[((?:[^[\]\\]|\\.)*)\]\(\s*([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*)\s*\)/g

/** The addresses of `[text](address)` as they are written, marked, good or bad. */
export const writtenAddresses = (marked: string): string[] =>
  [...marked.matchAll(signPattern)].flatMap(([, , , address]) =>
    address === undefined ? [] : [address],
  )

function tokenise(text: string, table: MarkTable): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (const match of text.matchAll(signPattern)) {
    const [source, escaped, label, address] = match
    if (match.index > at) tokens.push({ text: text.slice(at, match.index) })
    at = match.index + source.length
    if (escaped !== undefined) {
      tokens.push({ text: escaped })
    } else if (source === '**' || source === '*') {
      const [before, behind] = [text[match.index - 1] ?? ' ', text[at] ?? ' ']
      tokens.push({ sign: source, opens: !/\s/.test(behind), closes: !/\s/.test(before) })
    } else {
      const to = table.linkTo(address ?? '')
      tokens.push(
        to === null ? { text: source } : { link: { to }, label: tokenise(label ?? '', table) },
      )
    }
  }
  if (at < text.length) tokens.push({ text: text.slice(at) })
  return tokens
}

/**
 * A mark without its partner is text: the parser finds pairs first, then formats every stretch
 * between them.
 */
function applyStyles(
  tokens: readonly Token[],
  style: Omit<InlineRun, 'text'> = { bold: false, italic: false, link: null },
): InlineRun[] {
  const paired = pairSigns(tokens)
  const runs: InlineRun[] = []
  let { bold, italic } = style
  for (const [index, token] of tokens.entries()) {
    if ('label' in token) {
      runs.push(...applyStyles(token.label, { bold, italic, link: token.link }))
    } else if ('text' in token) {
      runs.push({ ...style, bold, italic, text: token.text })
    } else if (!paired.has(index)) {
      runs.push({ ...style, bold, italic, text: token.sign })
    } else if (token.sign === '**') {
      bold = !bold
    } else {
      italic = !italic
    }
  }
  return joinAlike(runs)
}

/**
 * The positions of signs that open or close something. The two kinds are distinct and may overlap:
 * runs carry both.
 */
function pairSigns(tokens: readonly Token[]): Set<number> {
  const paired = new Set<number>()
  const open = new Map<string, number>()
  for (const [index, token] of tokens.entries()) {
    if (!('sign' in token)) continue
    const opened = open.get(token.sign)
    if (opened !== undefined && token.closes) {
      paired.add(opened).add(index)
      open.delete(token.sign)
    } else if (token.opens) {
      open.set(token.sign, index)
    }
  }
  return paired
}

function joinAlike(runs: readonly InlineRun[]): InlineRun[] {
  const joined: InlineRun[] = []
  for (const run of runs) {
    const last = joined.at(-1)
    if (last && last.bold === run.bold && last.italic === run.italic && last.link === run.link)
      last.text += run.text
    else joined.push({ ...run })
  }
  return joined
}

/**
 * Bare addresses; `unsubscribe_url` and `view_url` among them. Marks of values may be part of one.
 */
const addressPattern = /https?:\/\/[^\s<>"']+|\ufdd0[sw]\ufdd1/gi

function findAddresses(run: InlineRun, table: MarkTable): InlineRun[] {
  const runs: InlineRun[] = []
  let at = 0
  for (const match of run.text.matchAll(addressPattern)) {
    const address = withoutTrail(match[0])
    const to = table.linkTo(address)
    if (to === null) continue
    if (match.index > at) runs.push({ ...run, text: run.text.slice(at, match.index) })
    runs.push({ ...run, text: address, link: { to } })
    at = match.index + address.length
  }
  if (at < run.text.length) runs.push({ ...run, text: run.text.slice(at) })
  return runs
}

/**
 * Punctuation that closes the sentence is not part of the address: `(see https://example.com/).`
 */
function withoutTrail(text: string): string {
  const trail = text.includes('(') ? /[.,;:!?\]}»”’…*]/ : /[.,;:!?)\]}»”’…*]/
  let end = text.length
  while (trail.test(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}
