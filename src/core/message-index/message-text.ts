/**
 * Builds the search texts of single messages: addresses, the words of the subject, and tags.
 * They are folded texts, and pieces that an index finds (core/search-text.ts).
 */
import { foldText, numbersOf, piecesOf, rarePieces } from '../search-text.ts'

/** The searchable parts of a message. */
export interface MessageWords {
  addresses: string[]
  subject: string
  tags: Record<string, string> | null
}

/** The folded texts; line feeds separate addresses and tags, spaces separate words. */
export interface MessageTexts {
  addresses: string
  subject: string
  tags: string
}

export function textsOf({ addresses, subject, tags }: MessageWords): MessageTexts {
  return {
    addresses: `\n${addresses.map(foldText).join('\n')}\n`,
    subject: ` ${wordsOf(subject).join(' ')} `,
    tags: `\n${Object.entries(tags ?? {})
      .map(([name, value]) => `${name}:${value}\n`)
      .join('')}`,
  }
}

/** Words are letters and digits; everything else separates them. */
export const wordsOf = (text: string): string[] => foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** Lengths of word beginnings that are indexed: a search uses the longest one that it has. */
const beginnings = [2, 4, 7]

export function gramsOfMessage(
  workspaceId: number,
  { addresses, subject, tags }: MessageWords,
): number[] {
  return numbersOf(workspaceId, [
    ...addresses
      .map(foldText)
      .flatMap((address) => [
        ...piecesOf(address).map((piece) => `@${piece}`),
        ...[1, 2].map((length) => `@\n${[...address].slice(0, length).join('')}`),
      ]),
    ...wordsOf(subject).flatMap((word) =>
      beginnings.flatMap((length) => beginningOf(word, length)),
    ),
    ...Object.entries(tags ?? {}).flatMap(([name, value]) => [`t${name}:`, `t${name}:${value}`]),
  ])
}

function beginningOf(word: string, length: number): string[] {
  const letters = [...word]
  return letters.length < length ? [] : [`s${letters.slice(0, length).join('')}`]
}

/** The text filters of a search; null for absent ones. */
export interface MessageAsk {
  recipient: string | null
  subject: string | null
  /** `name` or `name:value`. */
  tag: string | null
}

/** A search in the forms that the database needs. Each pattern is for LIKE. */
export interface MessageNeedle {
  address: string | null
  words: string[]
  tag: string | null
  /** Every match has all of them, but other rows may too; none: only a scan can find matches. */
  grams: number[]
}

/** Returns null for an empty search. */
export function readMessageNeedle(workspaceId: number, ask: MessageAsk): MessageNeedle | null {
  const address = foldText(ask.recipient ?? '')
  const words = wordsOf(ask.subject ?? '')
  const tag = ask.tag ?? ''
  if (address === '' && words.length === 0 && tag === '') return null
  return {
    address: address === '' ? null : addressPattern(address),
    words: words.map((word) => `% ${escape(word)}%`),
    tag: tag === '' ? null : tag.includes(':') ? `%\n${escape(tag)}\n%` : `%\n${escape(tag)}:%`,
    grams: numbersOf(workspaceId, [
      ...(address === ''
        ? []
        : isShort(address)
          ? [`@\n${address}`]
          : rarePieces(address).map((piece) => `@${piece}`)),
      ...words.flatMap((word) =>
        beginnings.flatMap((length) => beginningOf(word, length)).slice(-1),
      ),
      ...(tag === '' ? [] : tag.includes(':') ? [`t${tag}`] : [`t${tag}:`]),
    ]),
  }
}

/**
 * Matches an address: one or two characters match its beginning, more match any part of it. `\n`
 * stands before and after each address.
 */
export const addressPattern = (folded: string): string =>
  `%${isShort(folded) ? '\n' : ''}${escape(folded)}%`

const isShort = (folded: string): boolean => [...folded].length <= 2

const escape = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/** The same check without a database. */
export function matchesMessage(
  { recipient, subject, tag }: MessageAsk,
  words: MessageWords,
): boolean {
  const texts = textsOf(words)
  const address = foldText(recipient ?? '')
  return (
    texts.addresses.includes(isShort(address) && address !== '' ? `\n${address}` : address) &&
    wordsOf(subject ?? '').every((word) => texts.subject.includes(` ${word}`)) &&
    (!tag || texts.tags.includes(tag.includes(':') ? `\n${tag}\n` : `\n${tag}:`))
  )
}
