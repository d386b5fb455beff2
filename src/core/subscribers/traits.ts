/**
 * What subscribers are filtered by: tags, custom fields and where they came from. Each is kept as a number, so that an index of
 * all of them is as wide as one; values are compared without case and accents, as names are searched.
 */
import { hash } from 'node:crypto'
import type { SubscriberRow } from '../../db/subscribers/subscribers.ts'
import { foldText } from '../search-text.ts'

/** What a person has to have, all of it. */
export interface TraitFilter {
  /** As it is spelled. */
  tag?: string | undefined
  source?: string | undefined
  /** Key of a custom field that is not empty. */
  field?: string | undefined
  /** What stands in that field. */
  value?: string | undefined
}

type Traits = Pick<SubscriberRow, 'tags' | 'fields' | 'source'>

const traitOfSource = (source: string) => numberOf('source', source)
const traitOfTag = (tag: string) => numberOf('tag', tag)
const traitOfField = (key: string, value?: string) =>
  value === undefined ? numberOf('field', key) : numberOf('value', key, foldText(value))

/** Everything that a person may be found by, each number once. */
export const traitsOf = ({ tags, fields, source }: Traits): number[] => [
  ...new Set([
    traitOfSource(source),
    ...tags.map(traitOfTag),
    ...Object.entries(fields).flatMap(([key, value]) => [traitOfField(key), traitOfField(key, value)]),
  ]),
]

/** The numbers that a filter asks for; none when it asks for nothing. */
export function traitsAsked({ tag, source, field, value }: TraitFilter): number[] {
  return [
    ...(source === undefined ? [] : [traitOfSource(source)]),
    ...(tag === undefined ? [] : [traitOfTag(tag)]),
    ...(field === undefined ? [] : [traitOfField(field, value)]),
  ]
}

/** Whether a person is what is asked for now, whatever the index still says. */
export function hasTraits(person: Traits, { tag, source, field, value }: TraitFilter): boolean {
  if (source !== undefined && person.source !== source) return false
  if (tag !== undefined && !person.tags.includes(tag)) return false
  if (field === undefined) return true
  if (!Object.hasOwn(person.fields, field)) return false
  return value === undefined || foldText(person.fields[field] ?? '') === foldText(value)
}

/** 53 bits, which a JavaScript number holds whole: of a million different values two are alike once in ten thousand installations. */
const numberOf = (...parts: string[]): number => Number(hash('sha256', parts.join('\n'), 'buffer').readBigUInt64BE() >> 11n)
