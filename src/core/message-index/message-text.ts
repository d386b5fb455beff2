/**
 * What single messages are found by: parts of their addresses, the beginnings of their subject's words, and their tags; as folded
 * texts, and as pieces that an index finds (core/search-text.ts).
 */
import { foldText, numbersOf, piecesOf, rarePieces } from '../search-text.ts'

/** What a message says of itself. */
export interface MessageWords {
  addresses: string[]
  subject: string
  tags: Record<string, string> | null
}

/** The texts that are looked through; a line feed is where an address or a tag begins and ends, a space where a word does. */
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

/** Words are letters and digits; whatever else stands between two of them divides. */
export const wordsOf = (text: string): string[] => foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** How much of a word's beginning is a piece: what is asked for is found by the longest that it has. */
const beginnings = [2, 4, 7]

export function gramsOfMessage(workspaceId: number, { addresses, subject, tags }: MessageWords): number[] {
  return numbersOf(workspaceId, [
    ...addresses
      .map(foldText)
      .flatMap((address) => [
        ...piecesOf(address).map((piece) => `@${piece}`),
        ...[1, 2].map((length) => `@\n${[...address].slice(0, length).join('')}`),
      ]),
    ...wordsOf(subject).flatMap((word) => beginnings.flatMap((length) => beginningOf(word, length))),
    ...Object.entries(tags ?? {}).flatMap(([name, value]) => [`t${name}:`, `t${name}:${value}`]),
  ])
}

function beginningOf(word: string, length: number): string[] {
  const letters = [...word]
  return letters.length < length ? [] : [`s${letters.slice(0, length).join('')}`]
}

/** What is asked for by text; null where nothing is. */
export interface MessageAsk {
  recipient: string | null
  subject: string | null
  /** `name` or `name:value`. */
  tag: string | null
}

/** What is asked for, as the database looks for it. Each pattern is of LIKE. */
export interface MessageNeedle {
  address: string | null
  words: string[]
  tag: string | null
  /** All of them are in what matches, and others besides; none: only looking through tells. */
  grams: number[]
}

/** Null when there is nothing to look for. */
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
      ...(address === '' ? [] : isShort(address) ? [`@\n${address}`] : rarePieces(address).map((piece) => `@${piece}`)),
      ...words.flatMap((word) => beginnings.flatMap((length) => beginningOf(word, length)).slice(-1)),
      ...(tag === '' ? [] : tag.includes(':') ? [`t${tag}`] : [`t${tag}:`]),
    ]),
  }
}

/** Of an address: one or two characters are its beginning, more are any part of it. `\n` stands before and behind each address. */
export const addressPattern = (folded: string): string => `%${isShort(folded) ? '\n' : ''}${escape(folded)}%`

const isShort = (folded: string): boolean => [...folded].length <= 2

const escape = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/** The same without a database. */
export function matchesMessage({ recipient, subject, tag }: MessageAsk, words: MessageWords): boolean {
  const texts = textsOf(words)
  const address = foldText(recipient ?? '')
  return (
    texts.addresses.includes(isShort(address) && address !== '' ? `\n${address}` : address) &&
    wordsOf(subject ?? '').every((word) => texts.subject.includes(` ${word}`)) &&
    (!tag || texts.tags.includes(tag.includes(':') ? `\n${tag}\n` : `\n${tag}:`))
  )
}
