/**
 * The key of the text for a word of the contract: `keyOf('act', 'key.created')` is `actKeyCreated`.
 * Tests hold that there is one for each.
 */
export const keyOf = (prefix: string, word: string): string =>
  prefix +
  word.replaceAll(/(?:^|[^A-Za-z\d]+)(\w)/g, (_whole, letter: string) => letter.toUpperCase())
