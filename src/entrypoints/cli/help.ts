/** Help at every level: all commands, a group of them, one. */
import type { Command } from './command.ts'
import { usageOf, parameterWords } from './parse.ts'
import { printed, type PrintedValue } from './result.ts'
import { pairs } from './terminal-text.ts'

/** `words`: what `parse` found, a command's name, a group, or nothing. */
export function helpFor(words: string[], commands: readonly Command[]): PrintedValue {
  const name = words.join(' ')
  const named = commands.filter(
    (command) => name === '' || command.name === name || command.name.startsWith(`${name} `),
  )
  const exact = named.find((command) => command.name === name)
  const others = named.filter((command) => command !== exact)
  const text = exact ? describeCommand(exact, others) : describeList(name, named)
  return printed(
    {
      data: named.map((command) => ({
        name: command.name,
        usage: usageOf(command),
        summary: command.summary,
      })),
    },
    text,
  )
}

function describeList(group: string, commands: readonly Command[]): string {
  const heading =
    group === '' ? 'facteur: a self-hosted service that sends e-mail for its workspaces\n\n' : ''
  const lines = pairs(commands.map(({ name, summary }) => [`  ${name}`, summary]))
  const everywhere = pairs([
    [`  facteur ${group === '' ? 'COMMAND' : `${group} …`} --help`, 'What a command takes'],
    ['  --json', 'One JSON document on standard output, nothing else'],
  ])
  return `${heading}${lines}

${everywhere}

Exit codes: 0 done; 1 refused, not found or failed; 2 a line that cannot be understood.`
}

/**
 * `others`: those whose names begin with that of the command, such as `backup verify` of `backup`.
 */
function describeCommand(command: Command, others: readonly Command[]): string {
  const taken = parameterWords(command).map(({ word, text }): [string, string] => [
    `  ${word}`,
    text,
  ])
  if (command.name !== 'start')
    taken.push(['  --json', 'One JSON document on standard output, nothing else.'])
  return [
    `${command.summary}.`,
    ...(command.note ? [command.note] : []),
    '',
    `  ${usageOf(command)}`,
    '',
    ...(taken.length > 0 ? [pairs(taken), ''] : []),
    command.examples.length > 1 ? 'Examples:' : 'Example:',
    ...command.examples.map((example) => `  facteur ${example}`),
    ...(others.length > 0
      ? ['', 'See also:', pairs(others.map(({ name, summary }) => [`  ${name}`, summary]))]
      : []),
  ].join('\n')
}
