/**
 * Marks: placeholders for personal values in a mail that is being rendered. A mark consists of
 * noncharacters (U+FDD0, U+FDD1), which are removed from every author's text. So it passes through
 * renderers and parsers like any letter, and is cut out at the end.
 */

export type Mark =
  /** The value of the n-th merge tag, written for the place where it stands. */
  | { kind: 'value'; index: number }
  /** The value of the n-th merge tag inside an address: percent-encoded. */
  | { kind: 'address'; index: number }
  /** The address of the n-th link, tracked when clicks are. */
  | { kind: 'link'; index: number }
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

/** A letter names the kind. */
const letters: Record<Mark['kind'], string> = {
  ...{ value: 'v', address: 'u', link: 'l' },
  ...{ unsubscribe: 's', mailto: 'm', view: 'w', pixel: 'o' },
}

/** As a piece of a text, in HTML and in plain text alike. */
export const writeMark = (mark: Mark): string =>
  `\ufdd0${letters[mark.kind]}${'index' in mark ? mark.index : ''}\ufdd1`

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

const kinds = new Map(
  Object.entries(letters).map(([kind, letter]) => [letter, kind as Mark['kind']]),
)

/** The text with each mark written by the caller. */
export const replaceMarks = (text: string, write: (mark: Mark) => string): string =>
  text.replace(markPattern, (_mark, letter: string, index: string) =>
    write(readMark(letter, Number(index))),
  )

function readMark(letter: string, index: number): Mark {
  const kind = kinds.get(letter) ?? 'pixel'
  return kind === 'value' || kind === 'address' || kind === 'link' ? { kind, index } : { kind }
}
