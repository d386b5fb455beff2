/**
 * Command words of the previous version. They work for one more version, with a line that names the
 * present ones.
 */

/** Old commands or groups, with their present names. */
const commandsBefore: Record<string, string> = {
  person: 'contact',
  subscribers: 'subscriber',
  'webhook update': 'webhook set',
}

/** Flags, by the present name of their command. */
const flagsBefore: Record<string, Record<string, string>> = {
  'key create': { expires: 'expires-at' },
  'domain add': { 'return-path': 'return-path-host', tracking: 'tracking-host' },
  'webhook rotate': { overlap: 'overlap-hours' },
  'campaign schedule': { at: 'scheduled-at' },
}

/** The line in present words, with a notice for each old one. */
export function inPresentWords(words: readonly string[]): { words: string[]; notices: string[] } {
  for (const length of [2, 1]) {
    const before = words.slice(0, length).join(' ')
    const now = Object.hasOwn(commandsBefore, before) ? commandsBefore[before] : undefined
    if (now === undefined) continue
    return {
      words: [...now.split(' '), ...words.slice(length)],
      notices: [`"${before}" is now "${now}".`],
    }
  }
  return { words: [...words], notices: [] }
}

/** The old flags of this command, each with its present name. All take a value. */
export const oldFlagsOf = (command: string): Map<string, string> =>
  new Map(Object.entries(flagsBefore[command] ?? {}))
