/** Reads the parts of a definition as they were written, each with its path. */
import { shapeError, characterProblem } from '../../input/shape-error.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'

/** A part of a definition, and where it stands. */
export interface Written {
  value: unknown
  path: string
}

/** All of these throw `validation_error` with the path. */
export function readObject({ value, path }: Written): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw shapeError([{ path, rule: 'type', expected: 'object' }])
  return value as Record<string, unknown>
}

export const memberOf = (written: Written, key: string): Written => ({
  value: readObject(written)[key],
  path: `${written.path}.${key}`,
})

/** A key that is ignored would change who gets mail. */
export function refuseUnknownKeys(written: Written, keys: readonly string[]): void {
  const unknown = Object.keys(readObject(written)).find((key) => !keys.includes(key))
  if (unknown !== undefined)
    throw shapeError([{ path: `${written.path}.${unknown}`, rule: 'additionalProperties' }])
}

/** The one of these keys that is there. */
export function readOneKey<Key extends string>(written: Written, keys: readonly Key[]): Key {
  const value = readObject(written)
  const present = keys.filter((key) => Object.hasOwn(value, key))
  const [key] = present
  if (key === undefined || present.length > 1)
    throw shapeError([{ path: written.path, rule: 'one_of', allowed: [...keys] }])
  return key
}

export function readWord<Word extends string>(written: Written, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === written.value)
  if (word === undefined)
    throw shapeError([{ path: written.path, rule: 'enum', allowed: [...words] }])
  return word
}

const unreadable = /[\p{Cc}\p{Cs}]/u

/** A text that PostgreSQL can hold, in one line. */
export function readValue({ value, path }: Written): string {
  const limit = segmentLimits.valueMax
  if (typeof value !== 'string') throw shapeError([{ path, rule: 'type', expected: 'string' }])
  if (value === '') throw shapeError([{ path, rule: 'minLength', limit: 1 }])
  if ([...value].length > limit) throw shapeError([{ path, rule: 'maxLength', limit }])
  if (unreadable.test(value)) throw shapeError([characterProblem(value, path)])
  return value
}

/** A value of a field that is no text may be written as JSON has it. */
export const readFieldValue = ({ value, path }: Written): string =>
  readValue({ value: isPlain(value) ? String(value) : value, path })

const isPlain = (value: unknown): value is number | boolean =>
  typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

export function readCount({ value, path }: Written, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw shapeError([{ path, rule: 'type', expected: 'integer' }])
  if (value < 1) throw shapeError([{ path, rule: 'minimum', limit: 1 }])
  if (value > max) throw shapeError([{ path, rule: 'maximum', limit: max }])
  return value
}

export function readTrue({ value, path }: Written): true {
  if (value !== true) throw shapeError([{ path, rule: 'const', allowed: [true] }])
  return value
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function readUuid(written: Written): string {
  const text = readValue(written).toLowerCase()
  if (!uuid.test(text)) throw shapeError([{ path: written.path, rule: 'format', expected: 'uuid' }])
  return text
}
