/**
 * Defines the types of custom fields. Values are stored and answered as texts; a type says which
 * texts fit, and how they compare.
 */
import { isoDay } from './text-rules.ts'

export const fieldTypes = ['text', 'number', 'date', 'boolean', 'choice'] as const
export type FieldType = (typeof fieldTypes)[number]

/**
 * The texts that fit a type, for JavaScript and for PostgreSQL alike. A number has the grammar of
 * JSON without an exponent (RFC 8259 6), so that identifiers such as `007` stay texts; a date is a
 * day that exists (RFC 3339 5.6: full-date).
 */
export const fieldPatterns = {
  number: '^-?(?:0|[1-9][0-9]{0,14})(?:[.][0-9]{1,10})?$',
  date: isoDay,
  boolean: '^(?:true|false)$',
} as const

/** The type of a field, with what a value of a choice may be. */
export interface TypedField {
  key: string
  type: FieldType
  /** Empty unless the type is `choice`. */
  choices: string[]
}
