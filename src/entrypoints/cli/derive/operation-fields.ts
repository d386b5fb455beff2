/**
 * Derives the flags of a command from an operation's schemas: a name, a type, bounds and a
 * description for each field.
 */
import { plainSchema, type JsonSchema } from '../../../contract/json-schema.ts'
import type { Operation } from '../../../contract/operation.ts'
import type { Flag } from '../command.ts'
import { CommandRefusal } from '../refusal.ts'
import { readChoiceFlag, readNumber, readSwitch, readWhole } from '../values.ts'

export interface Field {
  part: 'params' | 'query' | 'body'
  /** The keys that lead to it: two for the field of an object, such as `mail.subject`. */
  path: string[]
  schema: JsonSchema
  required: boolean
}

/**
 * The fields of every part, in the order of the line: path, query, body. A list's pages are the
 * command's own.
 */
export function operationFields({ params, query, body }: Operation): Field[] {
  const parts = { params, query, ...(body && { body }) }
  return (['params', 'query', 'body'] as const).flatMap((part) => {
    const schema = parts[part]
    return schema ? fieldsIn(plainSchema(schema), { part, path: [], isRequired: true }) : []
  })
}

/** A field that is an object has a flag for each of its own. */
function fieldsIn(
  { properties = {}, required = [] }: JsonSchema,
  { part, path, isRequired }: Pick<Field, 'part' | 'path'> & { isRequired: boolean },
): Field[] {
  return Object.entries(properties).flatMap(([name, schema]): Field[] => {
    if (part === 'query' && (name === 'limit' || name === 'cursor')) return []
    const location = { part, path: [...path, name] }
    const isNeeded = isRequired && required.includes(name)
    return schema.properties
      ? fieldsIn(schema, { ...location, isRequired: isNeeded })
      : [{ ...location, schema, required: isNeeded }]
  })
}

/**
 * `return_path_host` is `--return-path-host`; a list of free texts, `tags`, is `--tag`, given once
 * for each.
 */
export function flagName({ path, schema }: Field): string {
  const name = path
    .map((step) => step.replaceAll(/[A-Z]/g, (letter) => `-${letter}`).replaceAll('_', '-'))
    .join('-')
  return isRepeated(schema) ? singular(name.toLowerCase()) : name.toLowerCase()
}

export const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '')

interface FlagWords {
  /** The parameter as the line has it: `--url`, or `URL` for an argument. */
  spelled: string
  /** In place of the word for a value that its name and its type give. */
  value: string | undefined
  /** In place of the reader of the schema, where the verb asks more of a value. */
  read: ((text: string) => unknown) | undefined
  /**
   * In place of the description of the schema, where the line spells a value in a way of its own.
   */
  text: string | undefined
  /**
   * The operation changes a record: an absent field stays as it is, a default means nothing, null
   * removes a value.
   */
  isChange: boolean
}

export function flagFor(
  field: Field,
  { spelled, value, read, text, isChange }: FlagWords,
): Flag<unknown> {
  const { schema, required } = field
  const { items } = valueOf(schema)
  const many = items && isRepeated(schema)
  const readOne = read ?? readerOf(spelled, many ? items : schema)
  return {
    text: text ?? describeField(schema, isChange),
    required,
    value: value ?? valueWord(field),
    read:
      admitsNull(schema) || (many && isChange)
        ? (word) => (word === 'none' ? none : readOne(word))
        : readOne,
    ...(many && { many: true }),
  }
}

/** The word for a value in help, such as `N`, `TIME` or the last word of the flag. */
function valueWord(field: Field): string {
  const { type, enum: words } = valueOf(field.schema)
  const word = flagName(field).split('-').at(-1) ?? ''
  const entry = (type === 'array' ? singular(word) : word === 'at' ? 'time' : word).toUpperCase()
  if (type === 'boolean') return 'on|off'
  if (type === 'integer' || type === 'number') return 'N'
  if (type === 'array') return isRepeated(field.schema) ? entry : `${entry},${entry}`
  return words && words.length <= 3 ? words.join('|') : entry
}

const isRepeated = (schema: JsonSchema): boolean => {
  const { type, items } = valueOf(schema)
  return type === 'array' && items?.enum === undefined
}

/**
 * The value of a flag that reads `none`: it becomes null or an empty list, where an absent flag has
 * no value.
 */
export const none = Symbol('none')

const admitsNull = ({ anyOf = [] }: JsonSchema): boolean =>
  anyOf.some(({ type }) => type === 'null')

/** The schema of the value, if it is given. */
const valueOf = (schema: JsonSchema): JsonSchema =>
  admitsNull(schema) ? { ...schema.anyOf?.find(({ type }) => type !== 'null') } : schema

function readerOf(spelled: string, schema: JsonSchema): (text: string) => unknown {
  const value = valueOf(schema)
  const { type, items, enum: words, minimum = -Infinity, maximum = Infinity } = value
  if (words) return readChoiceFlag(words)
  if (items) {
    const readOne = readerOf(spelled, items)
    return (text) => text.split(',').map((entry) => readOne(entry.trim()))
  }
  if (type === 'boolean') return readSwitch
  if (type === 'integer') return readWhole(minimum, maximum)
  if (type === 'number') return readNumber(minimum, maximum)
  return (text) => boundedText(text, { spelled, ...value })
}

/** Checks the length only; the operation itself checks the form, such as that of a URL. */
function boundedText(
  text: string,
  { spelled, minLength = 0, maxLength = Infinity }: JsonSchema & { spelled: string },
): string {
  const length = [...text.trim()].length
  if (length >= minLength && length <= maxLength && !/[^\P{Cc}\r\n\t]/u.test(text)) return text
  const bounds = maxLength === Infinity ? `${minLength} or more` : `${minLength} to ${maxLength}`
  throw new CommandRefusal(
    'usage',
    `${spelled} is ${bounds} characters, without control characters.`,
  )
}

function describeField(schema: JsonSchema, isChange: boolean): string {
  const { items, type, minimum, maximum, ...value } = valueOf(schema)
  const words = value.enum ?? items?.enum
  const description = schema.description ?? value.description
  const otherwise = isChange ? undefined : (schema.default ?? value.default)
  return [
    ...(description === undefined
      ? []
      : [description.endsWith('.') ? description : `${description}.`]),
    ...(words && (items || words.length > 3)
      ? [`${items ? 'Of' : 'One of'} ${words.join(', ')}.`]
      : []),
    ...(type !== 'string' && minimum !== undefined && maximum !== undefined
      ? [`From ${minimum} to ${maximum}.`]
      : []),
    ...(otherwise === undefined
      ? []
      : [`Default: ${type === 'boolean' ? (otherwise ? 'on' : 'off') : otherwise}.`]),
    ...(admitsNull(schema) && isChange ? ['`none` takes it away.'] : []),
    ...(isRepeated(schema) && isChange ? ['`none` empties the list.'] : []),
  ].join(' ')
}
