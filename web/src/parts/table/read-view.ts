/** Reads what a list shows from the page's address. Users type addresses too: the unknown is left out. */

/** One of `known`. */
export const choiceIn = <Value extends string>(
  search: Record<string, unknown>,
  name: string,
  known: readonly Value[],
): Value | undefined => known.find((value) => value === search[name])

/** A text that is not empty. */
export function textIn(search: Record<string, unknown>, name: string): string | undefined {
  const value = search[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
