/**
 * Marks: placeholders for personal values in a mail that is being rendered. A mark consists of noncharacters (U+FDD0,
 * U+FDD1), which are removed from every author's text. So it passes through renderers and parsers like any letter,
 * and is cut out at the end.
 */

export type Mark =
  /** The value of a merge tag, written for the place where it stands. */
  | { kind: 'value'; tag: number }
  /** The value of a merge tag inside an address: percent-encoded. */
  | { kind: 'address'; tag: number }
  /** The address of the n-th link, tracked when clicks are. */
  | { kind: 'link'; link: number }
  | { kind: 'unsubscribe' }
  /** The local part of the address for unsubscribe mails. */
  | { kind: 'mailto' }
  | { kind: 'view' }
  /** The whole element that reports an open. */
  | { kind: 'pixel' }

const markPattern = /\ufdd0([vulsmwo])([0-9]*)\ufdd1/g
const noncharacters = /[\ufdd0-\ufdef]/g

/** A text from outside, so that nothing in it passes for a mark. */
export const withoutMarks = (text: string): string => text.replace(noncharacters, '')

export const hasMark = (text: string): boolean => text.includes('\ufdd0')

/** As a piece of a text, in HTML and in plain text alike. */
export function writeMark(mark: Mark): string {
  switch (mark.kind) {
    case 'value':
      return `\ufdd0v${mark.tag}\ufdd1`
    case 'address':
      return `\ufdd0u${mark.tag}\ufdd1`
    case 'link':
      return `\ufdd0l${mark.link}\ufdd1`
    case 'unsubscribe':
      return '\ufdd0s\ufdd1'
    case 'mailto':
      return '\ufdd0m\ufdd1'
    case 'view':
      return '\ufdd0w\ufdd1'
    case 'pixel':
      return '\ufdd0o\ufdd1'
  }
}

/** The text cut at its marks; no piece of text is empty. */
export function splitMarks(text: string): Array<string | Mark> {
  const pieces: Array<string | Mark> = []
  let at = 0
  for (const match of text.matchAll(markPattern)) {
    if (match.index > at) pieces.push(text.slice(at, match.index))
    pieces.push(readMark(match[1] ?? '', Number(match[2])))
    at = match.index + match[0].length
  }
  if (at < text.length) pieces.push(text.slice(at))
  return pieces
}

function readMark(letter: string, index: number): Mark {
  switch (letter) {
    case 'v':
      return { kind: 'value', tag: index }
    case 'u':
      return { kind: 'address', tag: index }
    case 'l':
      return { kind: 'link', link: index }
    case 's':
      return { kind: 'unsubscribe' }
    case 'm':
      return { kind: 'mailto' }
    case 'w':
      return { kind: 'view' }
    default:
      return { kind: 'pixel' }
  }
}
