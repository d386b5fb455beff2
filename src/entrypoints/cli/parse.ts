/**
 * Parses the words of a command line into a command and its values.
 *
 * 1. `--json` and `--help` may stand anywhere.
 * 2. The first words name the command.
 * 3. The rest are its flags (`--name value`, `--name=value`) and arguments, in any order; after
 *    `--` all are arguments.
 */
import { parseArgs } from 'node:util'
import { didYouMean } from '../../ground/nearest.ts'
import type { Command, Flag, Switch } from './command.ts'
import { CommandRefusal } from './refusal.ts'

export type Parsed =
  /** `words` name a command, a group of them, or nothing: help for everything. */
  | { kind: 'help'; words: string[] }
  | { kind: 'command'; command: Command; input: Record<string, unknown> }

/** The flags of every command, taken out of the line. */
export interface Globals {
  json: boolean
  help: boolean
  rest: string[]
}

export function readGlobals(argv: readonly string[]): Globals {
  const end = argv.indexOf('--')
  const before = end === -1 ? argv : argv.slice(0, end)
  const isGlobal = (word: string): boolean =>
    word === '--json' || word === '--help' || word === '-h'
  const help = before.includes('--help') || before.includes('-h') || before[0] === 'help'
  const rest = [...before.filter((word) => !isGlobal(word)), ...(end === -1 ? [] : argv.slice(end))]
  return { json: before.includes('--json'), help, rest: rest[0] === 'help' ? rest.slice(1) : rest }
}

/** Throws `Refusal` with code `usage` for what cannot be understood. */
export function parse({ help, rest }: Globals, commands: readonly Command[]): Parsed {
  const isFlag = (word: string): boolean => word.startsWith('-')
  const words = rest.slice(0, rest.some(isFlag) ? rest.findIndex(isFlag) : rest.length)
  if (words.length === 0 && !help && rest.length > 0)
    throw new CommandRefusal(
      'usage',
      `${rest[0]} stands before any command: facteur --help shows them.`,
    )
  const command = findCommand(words, commands)
  if (help || rest.length === 0)
    return { kind: 'help', words: command ? command.name.split(' ') : knownGroup(words, commands) }
  if (!command) throw unknownCommand(words, commands)
  const input = readValues(command, rest.slice(command.name.split(' ').length))
  return { kind: 'command', command, input }
}

function findCommand(words: string[], commands: readonly Command[]): Command | undefined {
  return commands.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
}

function knownGroup(words: string[], commands: readonly Command[]): string[] {
  const [group] = words
  if (group === undefined) return []
  if (words.length > 1 || !groupsOf(commands).includes(group)) throw unknownCommand(words, commands)
  return [group]
}

export const groupsOf = (commands: readonly Command[]): string[] => [
  ...new Set(commands.map(({ name }) => name.split(' ')[0] ?? '')),
]

function unknownCommand(words: string[], commands: readonly Command[]): CommandRefusal {
  const [group = '', verb] = words
  const verbs = commands.flatMap(({ name }) =>
    name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : [],
  )
  if (verbs.length > 0 && verb === undefined)
    return new CommandRefusal('usage', `facteur ${group} needs one of: ${verbs.join(', ')}.`)
  if (verbs.length > 0)
    return new CommandRefusal(
      'usage',
      `There is no command "${group} ${verb}"${didYouMean(verb ?? '', verbs, (meant) => `${group} ${meant}`)}`,
    )
  const swapped = commands.find(({ name }) => name === `${verb} ${group}`)
  if (swapped)
    return new CommandRefusal(
      'usage',
      `There is no command "${group} ${verb}": did you mean ${swapped.name}?`,
    )
  return new CommandRefusal(
    'usage',
    `There is no command "${group}"${didYouMean(group, groupsOf(commands))}`,
  )
}

/**
 * Node divides the words; what it lets pass, such as an unknown flag, is refused here with the
 * nearest known one.
 */
function readValues(command: Command, words: string[]): Record<string, unknown> {
  const texts = new Map<string, string | true | string[]>()
  const places = Object.keys(command.arguments)
  const withValue = Object.entries(command.flags).flatMap(([name, flag]) =>
    takesValue(flag) ? [name] : [],
  )
  const options = Object.fromEntries(withValue.map((name) => [name, { type: 'string' }] as const))
  const { tokens } = parseArgs({
    args: words,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind === 'positional') takePositional(token.value)
    else if (token.kind === 'option') readFlag(token)
  }
  return check(command, texts)

  function readFlag({ name, rawName, value, inlineValue }: Option): void {
    const flag =
      rawName.startsWith('--') && Object.hasOwn(command.flags, name)
        ? command.flags[name]
        : undefined
    if (!flag) throw unknownFlag(command, rawName, name)
    const many = takesValue(flag) && flag.many === true
    const earlier = texts.get(rawName)
    if (earlier !== undefined && !many)
      throw new CommandRefusal('usage', `${rawName} is given twice.`)
    if (!takesValue(flag)) {
      if (inlineValue) throw new CommandRefusal('usage', `${rawName} takes no value.`)
      texts.set(rawName, true)
      return
    }
    if (value === undefined || value === '' || (!inlineValue && value.startsWith('--')))
      throw new CommandRefusal('usage', `${rawName} needs a value: ${rawName} ${flag.value}.`)
    texts.set(rawName, many ? [...(Array.isArray(earlier) ? earlier : []), value] : value)
  }

  function takePositional(text: string): void {
    const name = places.shift()
    if (name === undefined)
      throw new CommandRefusal('usage', `"${text}" is one word too many: ${usageOf(command)}`)
    texts.set(name, text)
  }
}

interface Option {
  name: string
  /** As it stands in the line: `--name`, `-n`. */
  rawName: string
  value?: string | undefined
  inlineValue?: boolean | undefined
}

function unknownFlag(command: Command, word: string, name: string): CommandRefusal {
  const known = [...Object.keys(command.flags), 'json', 'help']
  return new CommandRefusal(
    'usage',
    `${command.name} has no flag ${word}${didYouMean(name, known, (meant) => `--${meant}`)}`,
  )
}

function check(
  command: Command,
  texts: Map<string, string | true | string[]>,
): Record<string, unknown> {
  const words = [
    ...Object.entries(command.arguments).map(([name, parameter]) => ({
      name,
      parameter,
      text: texts.get(name),
    })),
    ...Object.entries(command.flags).map(([name, parameter]) => ({
      name,
      parameter,
      text: texts.get(`--${name}`),
    })),
  ]
  const missing = words.filter(
    ({ parameter, text }) => 'required' in parameter && parameter.required && text === undefined,
  )
  if (missing.length > 0)
    throw new CommandRefusal(
      'usage',
      `${missing.map(({ name }) => spellName(command, name)).join(', ')} missing: ${usageOf(command)}`,
    )
  return Object.fromEntries(
    words.map(({ name, parameter, text }) => {
      if (!('read' in parameter)) return [name, text === true]
      if ('many' in parameter)
        return [name, Array.isArray(text) ? text.map((entry) => parameter.read(entry)) : []]
      return [name, typeof text === 'string' ? parameter.read(text) : null]
    }),
  )
}

const spellName = (command: Command, name: string): string =>
  Object.hasOwn(command.flags, name) ? `--${name}` : name

export const takesValue = (flag: Flag<unknown> | Switch): flag is Flag<unknown> => 'value' in flag

/** Its arguments and flags as they stand in help: `--name N`. */
export const parameterWords = (
  command: Command,
): { word: string; text: string; required: boolean; many: boolean }[] => [
  ...Object.entries(command.arguments).map(([word, { text, required }]) => ({
    word,
    text,
    required,
    many: false,
  })),
  ...Object.entries(command.flags).map(([name, flag]) =>
    takesValue(flag)
      ? {
          word: `--${name} ${flag.value}`,
          text: flag.text,
          required: flag.required,
          many: flag.many === true,
        }
      : { word: `--${name}`, text: flag.text, required: false, many: false },
  ),
]

/**
 * `facteur key create --workspace W --name N --scopes S,S`: what may be left out stands in
 * brackets.
 */
export function usageOf(command: Command): string {
  const words = parameterWords(command).map(
    ({ word, required, many }) => (required ? word : `[${word}]`) + (many ? '…' : ''),
  )
  return ['facteur', command.name, ...words].join(' ')
}
