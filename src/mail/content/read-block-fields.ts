/**
 * Reads the fields of one block: folds aliases, checks each value against its rule, reports
 * problems with the block's index.
 */
import type { AddressUse } from '../merge/content-address.ts'
import type { ProblemLocation, Problems } from './content-problems.ts'
import {
  validateAddressField,
  validateCharacters,
  validateColor,
  validateInline,
  validateTags,
} from './validate-texts.ts'

/**
 * Reads the fields of one block. For a bad value it reports a problem and returns a harmless value.
 */
export type FieldReader = ReturnType<typeof createFieldReader>

export interface Bounds {
  min: number
  max: number
}

/** The first name is the field's own, the others are aliases. */
export function createFieldReader(
  fields: ReadonlyMap<string, unknown>,
  block: ProblemLocation,
  problems: Problems,
) {
  let characters = 0
  const placeOf = (name: string): ProblemLocation => ({ ...block, path: `${block.path}.${name}` })
  const valueOf = (name: string): unknown => fields.get(name) ?? undefined
  const report = (
    name: string,
    rule: string,
    more: { limit?: number; allowed?: readonly string[] } = {},
  ): void => problems.add({ ...placeOf(name), rule, ...more })

  /** Alias and name may both be given when they say the same (semantics 4). */
  const findText = (names: readonly string[]): { name: string; text: string } | null => {
    const present = names.filter((name) => valueOf(name) !== undefined)
    const [first] = present
    if (first === undefined) return null
    const value = valueOf(first)
    const other = present.find((name) => valueOf(name) !== value)
    if (other !== undefined) report(other, 'alias_differs')
    if (typeof value !== 'string') {
      report(first, 'type')
      return { name: first, text: '' }
    }
    characters += value.length
    return { name: first, text: value }
  }
  const readText = (result: { name: string; text: string }): string =>
    validateTags(result.text, placeOf(result.name), problems)
  const neededText = (
    names: readonly string[],
    mayBeEmpty = false,
  ): { name: string; text: string } | null => {
    const text = findText(names)
    if (text === null || (!mayBeEmpty && text.text.trim() === ''))
      report(text?.name ?? names[0] ?? '', 'required')
    return text
  }
  const optionalWhole = (name: string, { min, max }: Bounds): number | null => {
    const value = valueOf(name)
    if (value === undefined) return null
    if (typeof value !== 'number' || !Number.isInteger(value)) report(name, 'type')
    else if (value < min) report(name, 'minimum', { limit: min })
    else if (value > max) report(name, 'maximum', { limit: max })
    else return value
    return min
  }
  const readList = (name: string, { min, max }: Bounds): readonly unknown[] => {
    const value = valueOf(name)
    if (Array.isArray(value)) {
      if (value.length < min) report(name, 'minItems', { limit: min })
      if (value.length > max) report(name, 'maxItems', { limit: max })
      return value.slice(0, max)
    }
    report(name, value === undefined ? 'required' : 'type')
    return []
  }
  const optionalAddress = (names: readonly string[], use: AddressUse): string | null => {
    const text = findText(names)
    if (text === null || text.text.trim() === '') return null
    return validateAddressField(text.text, { ...placeOf(text.name), use }, problems)
  }

  return {
    has: (name: string): boolean => valueOf(name) !== undefined,
    oneOf<const Word extends string>(name: string, words: readonly Word[]): Word | null {
      const value = valueOf(name)
      if (value === undefined) return null
      const word = words.find((item) => item === value)
      if (word === undefined) report(name, 'enum', { allowed: words })
      return word ?? null
    },
    text(names: readonly string[]): string {
      const result = neededText(names)
      if (result !== null) validateCharacters(result.text, placeOf(result.name), problems)
      return result === null ? '' : readText(result)
    },
    /** A text in which links may be written. */
    formatted(names: readonly string[], options?: { mayBeEmpty: boolean }): string {
      const result = neededText(names, options?.mayBeEmpty)
      return result === null ? '' : validateInline(result.text, placeOf(result.name), problems)
    },
    optionalText(name: string): string | null {
      const text = findText([name])
      return text === null ? null : readText(text)
    },
    /** Such texts of a list, at least one. */
    texts(name: string): string[] {
      return readList(name, { min: 1, max: 1000 }).map((value, i) => {
        const location = placeOf(`${name}.${i}`)
        if (typeof value !== 'string') {
          problems.add({ ...location, rule: 'type' })
          return ''
        }
        characters += value.length
        return validateInline(value, location, problems)
      })
    },
    /** A text whose merge tags are validated elsewhere. */
    raw(name: string): string {
      const text = findText([name])
      if (text === null) report(name, 'required')
      return text?.text ?? ''
    },
    address(names: readonly string[], use: AddressUse): string {
      const address = optionalAddress(names, use)
      if (address === null) report(names[0] ?? '', 'required')
      return address ?? ''
    },
    optionalAddress: (names: readonly string[]): string | null => optionalAddress(names, 'link'),
    color(name: string): string | null {
      const text = findText([name])
      return text === null ? null : validateColor(text.text.trim(), placeOf(name), problems)
    },
    flag(name: string): boolean {
      const value = valueOf(name)
      if (value !== undefined && typeof value !== 'boolean') report(name, 'type')
      return value === true
    },
    whole: (name: string, { otherwise, ...bounds }: Bounds & { otherwise: number }): number =>
      optionalWhole(name, bounds) ?? otherwise,
    optionalWhole,
    list: readList,
    /** Counts all texts read so far. */
    characters: (): number => characters,
  }
}
