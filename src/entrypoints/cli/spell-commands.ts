/**
 * Replaces `facteur` in hints such as `facteur domain add …` by the way that the operator starts
 * this program.
 */
import { groupsOf } from './parse.ts'
import type { Command } from './command.ts'

/**
 * `program`: such as `npm run -s facteur --`. Our name is respelled only before a word that can
 * follow it in a command line.
 */
export function spellCommands(
  program: string,
  commands: readonly Command[],
): (text: string) => string {
  if (program === 'facteur') return (text) => text
  const following = [...groupsOf(commands), 'COMMAND', '--help'].join('|')
  const hint = new RegExp(`(?<![\\w@./:-])facteur (?=(?:${following})(?![\\w-]))`, 'g')
  return (text) => text.replaceAll(hint, () => `${program} `)
}
