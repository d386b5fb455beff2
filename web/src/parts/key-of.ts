/** Keys of texts that are made of a word of the contract. */

/** `key.created` as `KeyCreated`. */
type Joined<Word extends string, Separators extends readonly string[]> = Separators extends [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? Word extends `${infer Head}${First}${infer Tail}`
    ? `${Joined<Head, Rest>}${Joined<Tail, Separators>}`
    : Joined<Word, Rest>
  : Capitalize<Word>

export type KeyOf<
  Prefix extends string,
  Word extends string,
> = `${Prefix}${Joined<Word, ['.', '_', '-', ' ', ':']>}`

/** The key of the text for a word: `keyOf('act', 'key.created')` is `actKeyCreated`. */
export const keyOf = <const Prefix extends string, const Word extends string>(
  prefix: Prefix,
  word: Word,
): KeyOf<Prefix, Word> =>
  // The type is that of this text.
  (prefix +
    word.replaceAll(/(?:^|[^A-Za-z\d]+)(\w)/g, (_whole, letter: string) =>
      letter.toUpperCase(),
    )) as KeyOf<Prefix, Word>
