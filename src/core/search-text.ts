/**
 * Folds subscribers' texts for search, without case and accents, and cuts them into pieces that an
 * index finds. Pieces are every three adjacent characters, and the first one and two of each word.
 * Each piece is stored as a number that depends on the workspace, so that the index separates
 * workspaces.
 */

/** Letters that are not a base letter with an accent, yet are searched as other letters. */
const spelled: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
}

/**
 * Folds a text for comparison: lower case, no accents, one space between words. A line feed
 * separates fields.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\p{M}\p{Cc}]/gu, '')
    .replaceAll(/[ßæœøđðþłħı]/g, (letter) => spelled[letter] ?? letter)
    .trim()
}

/**
 * Joins the texts that a subscriber is found by: the address, and the names in one line so that a
 * whole name matches.
 */
export function haystackOf(contact: {
  email: string
  firstName: string | null
  lastName: string | null
}): string {
  const name = foldText(`${contact.firstName ?? ''} ${contact.lastName ?? ''}`)
  return `\n${foldText(contact.email)}\n${name}\n`
}

/** A search, in the forms that the database needs. */
export interface Needle {
  /** LIKE patterns that every match satisfies in the end. */
  patterns: string[]
  /** A match contains one of them: the same check without a database. */
  texts: string[]
  /** Every match has all of them, but other rows may too. */
  grams: number[]
}

export const matches = ({ texts }: Needle, haystack: string): boolean =>
  texts.some((text) => haystack.includes(text))

/** Returns null for an empty search. */
export function readNeedle(workspaceId: number, q: string | undefined): Needle | null {
  const folded = foldText(q ?? '')
  if (folded === '') return null
  const isShort = [...folded].length <= 2
  const texts = isShort ? [`\n${folded}`, ` ${folded}`] : [folded]
  return {
    patterns: texts.map((text) => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`),
    texts,
    grams: numbersOf(workspaceId, isShort ? [`\n${folded}`] : rarePieces(folded)),
  }
}

/**
 * The maximum of pieces per search: each one costs another index list, and a few narrow the result
 * almost as much as all.
 */
const piecesMax = 6

/** The letters that are most common in names. */
const commonLetters = /[eainrstlou.@ ]/

/** Selects the rarest pieces: from before the `@`, those with rare characters first. */
export function rarePieces(text: string): string[] {
  const pieces = piecesOf(text)
  const domainFrom = pieces.findIndex((piece) => piece.startsWith('@'))
  const rank = (piece: string, index: number): number =>
    domainFrom !== -1 && index >= domainFrom
      ? -1
      : [...piece].filter((character) => !commonLetters.test(character)).length
  return pieces
    .map((piece, index) => ({ piece, rank: rank(piece, index) }))
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, piecesMax)
    .map(({ piece }) => piece)
}

/** The numbers of all pieces of a text. */
export function gramsOf(workspaceId: number, haystack: string): number[] {
  const pieces = haystack.split('\n').flatMap((field) => [
    ...piecesOf(field),
    ...field.split(' ').flatMap((word) => {
      const [first, second] = word
      return first === undefined
        ? []
        : second === undefined
          ? [`\n${first}`]
          : [`\n${first}`, `\n${first}${second}`]
    }),
  ])
  return numbersOf(workspaceId, pieces)
}

export function piecesOf(text: string): string[] {
  const characters = [...text]
  return characters
    .slice(2)
    .map((last, index) => `${characters[index]}${characters[index + 1]}${last}`)
}

export const numbersOf = (workspaceId: number, pieces: string[]): number[] => [
  ...new Set(pieces.map((piece) => mix(workspaceId, piece))),
]

/** FNV-1a over the workspace and the piece, well mixed: a signed 32-bit number. */
function mix(workspaceId: number, piece: string): number {
  let hash = Math.imul(0x811c9dc5 ^ workspaceId, 0x01000193)
  for (let i = 0; i < piece.length; i++) hash = Math.imul(hash ^ piece.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) | 0
}
