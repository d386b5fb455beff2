/**
 * Resend's `{{{X}}}` and `{{{X|y}}}` as our merge tags. Braces never mean raw: a value is escaped
 * for where it stands, however many braces its tag has.
 */
import { tagNameOf, writeTag, type TagName } from '../../mail/merge/merge-tags.ts'

const pattern = /\{\{\{\s*([\w.-]{1,100})\s*(?:\|([^{}]{0,200}))?\}\}\}/g

/** `html`: the tag is written so that it may stand in an attribute too. */
export const withOwnTags = (text: string, { html }: { html: boolean }): string =>
  text.replaceAll(pattern, (_whole, foreignName: string, fallback = '') => {
    const tag = writeTag({ name: ownName(foreignName), fallback: String(fallback).trim() })
    return html ? tag.replaceAll(/["<>]/g, (sign) => entities[sign] ?? sign) : tag
  })

const entities: Record<string, string> = { '"': '&quot;', '<': '&lt;', '>': '&gt;' }

const theirNames: ReadonlyMap<string, TagName> = new Map([
  ['first_name', 'firstName'],
  ['last_name', 'lastName'],
  ['resend_unsubscribe_url', 'unsubscribe_url'],
])

/** A name of ours stays. Properties of a contact are fields here, by the same key. */
function ownName(foreignName: string): TagName {
  const key = foreignName.toLowerCase().replace(/^contact\./, '')
  return tagNameOf(foreignName) ?? tagNameOf(key) ?? theirNames.get(key) ?? `fields.${key}`
}
