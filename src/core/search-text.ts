/**
 * What subscribers are searched by, without case and accents, and cut into pieces that an index finds: every three characters in a
 * row, and the first one and two of each word. A piece is kept as a number that the workspace is mixed into, so that the index
 * holds each workspace's pieces apart.
 */

/** Letters that are no letter with a sign on it, and are yet looked for as if they were. */
const spelled: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i' }

/** As it is compared: lower case, no accents, one space between words. A line feed is where a field begins and ends. */
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

/** One text of all that a person is found by: the address, and the names in one line so that a whole name is found too. */
export function haystackOf(person: { email: string; firstName: string | null; lastName: string | null }): string {
  const name = foldText(`${person.firstName ?? ''} ${person.lastName ?? ''}`)
  return `\n${foldText(person.email)}\n${name}\n`
}

/** What is asked for, as the database looks for it. */
export interface Needle {
  /** Of LIKE, to which every match is held at last. */
  patterns: string[]
  /** One of them is in what matches: the same without a database. */
  texts: string[]
  /** All of them are in what matches, and others besides. */
  grams: number[]
}

export const matches = ({ texts }: Needle, haystack: string): boolean => texts.some((text) => haystack.includes(text))

/** Null when there is nothing to look for. */
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

/** Pieces that are looked for together, at most: each more costs the index another list, and what a few name is nearly all that all do. */
const piecesMost = 6

/** The letters that most names are made of. */
const commonLetters = /[eainrstlou.@ ]/

/** The pieces that fewest people can be expected to share: of what stands before the `@`, those with rare characters first. */
export function rarePieces(text: string): string[] {
  const pieces = piecesOf(text)
  const domainFrom = pieces.findIndex((piece) => piece.startsWith('@'))
  const rank = (piece: string, place: number): number =>
    domainFrom !== -1 && place >= domainFrom ? -1 : [...piece].filter((character) => !commonLetters.test(character)).length
  return pieces
    .map((piece, place) => ({ piece, rank: rank(piece, place) }))
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, piecesMost)
    .map(({ piece }) => piece)
}

/** The numbers of all pieces of a haystack. */
export function gramsOf(workspaceId: number, haystack: string): number[] {
  const pieces = haystack.split('\n').flatMap((field) => [
    ...piecesOf(field),
    ...field.split(' ').flatMap((word) => {
      const [first, second] = word
      return first === undefined ? [] : second === undefined ? [`\n${first}`] : [`\n${first}`, `\n${first}${second}`]
    }),
  ])
  return numbersOf(workspaceId, pieces)
}

export function piecesOf(text: string): string[] {
  const characters = [...text]
  return characters.slice(2).map((last, index) => `${characters[index]}${characters[index + 1]}${last}`)
}

export const numbersOf = (workspaceId: number, pieces: string[]): number[] => [
  ...new Set(pieces.map((piece) => mix(workspaceId, piece))),
]

/** FNV-1a over the workspace and the piece, its bits well stirred: a signed number of 32 bits. */
function mix(workspaceId: number, piece: string): number {
  let hash = Math.imul(0x811c9dc5 ^ workspaceId, 0x01000193)
  for (let i = 0; i < piece.length; i++) hash = Math.imul(hash ^ piece.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) | 0
}
