/**
 * Folds the case of texts by one rule that JavaScript and PostgreSQL share: each character becomes
 * its lower-case letter, where that is one character, and no other character becomes ASCII. No
 * locale and no collation takes part.
 */

/** Characters stay in number and place; accents stay. */
export const foldCase = (text: string): string => Array.from(text, foldCharacter).join('')

function foldCharacter(character: string): string {
  const lower = character.toLowerCase()
  const isSingle = [...lower].length === 1
  return isSingle && (character < '\u0080' || lower >= '\u0080') ? lower : character
}

/** Letters as the two texts of PostgreSQL's `translate()`: each stands at the same place. */
export interface FoldedLetters {
  from: string
  to: string
}

/**
 * Returns the characters beyond ASCII that fold to those of `folded`. A text of which these and
 * ASCII are folded equals or contains `folded` exactly if the whole folded text does: every other
 * character that folds is one that `folded` lacks, before and after.
 */
export function lettersThatFoldTo(folded: string): FoldedLetters {
  const letters = [...new Set(folded)].flatMap((lower) => variants().get(lower) ?? [])
  return { from: letters.join(''), to: foldCase(letters.join('')) }
}

let known: Map<string, string[]> | null = null

/** By the folded letter; made at the first use, in some ten milliseconds. */
const variants = (): ReadonlyMap<string, string[]> => (known ??= makeVariants())

/** The last code point that has a lower-case letter is in the Supplementary Multilingual Plane. */
const lastLetter = 0x1ffff

function makeVariants(): Map<string, string[]> {
  const byLower = new Map<string, string[]>()
  for (let code = 0x80; code <= lastLetter; code++) {
    const character = String.fromCodePoint(code)
    const lower = foldCharacter(character)
    if (lower !== character) byLower.set(lower, [...(byLower.get(lower) ?? []), character])
  }
  return byLower
}
