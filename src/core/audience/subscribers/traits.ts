/**
 * Computes the traits that subscribers are filtered by: tags, custom fields and source. Each trait
 * is a number, so that an index over all traits stays narrow. Values are compared without case and
 * accents, like names.
 */
import { hash } from 'node:crypto'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import { foldText } from '../../search-text.ts'

/** The traits that a subscriber must have, all of them. */
export interface TraitFilter {
  /** The tag as spelled. */
  tag?: string | undefined
  source?: string | undefined
  /** The key of a custom field that must not be empty. */
  field?: string | undefined
  /** The value of that field. */
  value?: string | undefined
}

type Traits = Pick<SubscriberRow, 'tags' | 'fields' | 'source'>

const traitOfSource = (source: string) => numberOf('source', source)
const traitOfTag = (tag: string) => numberOf('tag', tag)
const traitOfField = (key: string, value?: string) =>
  value === undefined ? numberOf('field', key) : numberOf('value', key, foldText(value))

/** All traits of a subscriber, each number once. */
export const traitsOf = ({ tags, fields, source }: Traits): number[] => [
  ...new Set([
    traitOfSource(source),
    ...tags.map(traitOfTag),
    ...Object.entries(fields).flatMap(([key, value]) => [
      traitOfField(key),
      traitOfField(key, value),
    ]),
  ]),
]

/** The numbers that a filter requires; none for an empty filter. */
export function traitsAsked({ tag, source, field, value }: TraitFilter): number[] {
  return [
    ...(source === undefined ? [] : [traitOfSource(source)]),
    ...(tag === undefined ? [] : [traitOfTag(tag)]),
    ...(field === undefined ? [] : [traitOfField(field, value)]),
  ]
}

/** Whether a subscriber matches now, even if the index is out of date. */
export function hasTraits(subscriber: Traits, { tag, source, field, value }: TraitFilter): boolean {
  if (source !== undefined && subscriber.source !== source) return false
  if (tag !== undefined && !subscriber.tags.includes(tag)) return false
  if (field === undefined) return true
  if (!Object.hasOwn(subscriber.fields, field)) return false
  return value === undefined || foldText(subscriber.fields[field] ?? '') === foldText(value)
}

/**
 * 53 bits, which a JavaScript number holds exactly. Among a million values, two collide in one of
 * ten thousand installations.
 */
const numberOf = (...parts: string[]): number =>
  Number(hash('sha256', parts.join('\n'), 'buffer').readBigUInt64BE() >> 11n)
