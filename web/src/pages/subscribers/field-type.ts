/**
 * These functions check a value of a custom field while the user types; the service has the rule.
 */
import { fieldPatterns } from 'virtual:contract'
import type { FieldType, TypedField } from '../../../../src/contract/field-types.ts'

/** Whether a value fits; an empty one does. */
export function fitsType({ type, choices }: Pick<TypedField, 'type' | 'choices'>, value: string) {
  if (value === '' || type === 'text') return true
  return type === 'choice' ? choices.includes(value) : new RegExp(fieldPatterns[type]).test(value)
}

/** A user writes one choice a line. */
export const choicesIn = (lines: string): string[] =>
  [...new Set(lines.split('\n').map((line) => line.trim()))].filter((line) => line !== '')

/** The type as the service takes it. Null if a choice has no choices yet. */
export function typeGiven({ type, lines }: { type: FieldType; lines: string }) {
  if (type !== 'choice') return { type }
  const choices = choicesIn(lines)
  return choices.length === 0 ? null : { type, choices }
}

/** The key of a field by its name: the service stores "Shoe size" as `shoe_size`. */
export const keyFrom = (words: string): string =>
  words
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '')
    .slice(0, 60)
