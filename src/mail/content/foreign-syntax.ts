/**
 * Finds the template syntax of other products in a campaign: nothing here replaces it, so readers
 * would see it as it stands. Also names in brackets, which authors leave to be replaced by hand.
 */
import { scanTags } from '../html/scan-tags.ts'
import type { CampaignToCompile } from '../merge/compiled-campaign.ts'
import type { Block } from '../merge/campaign-source.ts'
import { readTags, writeTag, type TagName } from '../merge/merge-tags.ts'

export interface ForeignSyntax {
  /** As it is written, cut to 60 characters. */
  value: string
  /** The tag that says the same here. */
  ours: string
}

/**
 * `{% … %}` of Liquid, Jinja and Twig, `*|…|*` of Mailchimp. An opening ends the one before: no
 * character is read twice.
 */
const foreignPattern = /\{%(?:[^%{]|%(?!\})|\{(?!%)){1,300}%\}|\*\|[^|*\r\n]{1,100}\|\*/g

/** `{{ .X }}` of Go, `{{{X}}}` and `{{#if X}}` of Handlebars and Mustache. */
const foreignTag =
  /^\{\{(?:\{[^{}]{0,200}\}\}\}|[-~]?\s*(?:[.$#/^&>]|(?:if|else|end|range|with)\b)[^{}]{0,200}\}\})/

export const findForeignSyntax = (text: string): ForeignSyntax[] =>
  readTags(text).flatMap((piece) => {
    if ('tag' in piece) return []
    const result =
      'text' in piece ? piece.text.match(foreignPattern) : foreignTag.exec(piece.malformed)
    return (result ?? []).map((value) => ({
      value: value.slice(0, 60).toWellFormed(),
      ours: equivalentOf(value),
    }))
  })

/** The names that other products have for ours, as parts of their letters. */
const ourNames: [pattern: RegExp, ours: TagName][] = [
  [/unsub|optout|d[ée]sinscri|d[ée]sabonn/, 'unsubscribe_url'],
  [/archive|browser|webversion|viewurl|viewonline|mirror|permalink/, 'view_url'],
  [/mail/, 'email'],
  [/lname|lastname|surname|familyname/, 'lastName'],
  [/fname|name|pr[ée]nom/, 'firstName'],
]

function equivalentOf(foreign: string): string {
  const parts = foreign.replaceAll(/[{}%*#/^&>~-]/g, ' ').split('|')
  const [named = '', defaultText = ''] = parts.filter((part) => part.trim() !== '')
  const letters = named.toLowerCase().replaceAll(/[^\p{L}\d]+/gu, '')
  const known = ourNames.find(([pattern]) => pattern.test(letters))?.[1]
  if (known === 'unsubscribe_url' || known === 'view_url')
    return writeTag({ name: known, fallback: '' })
  // Nothing here is conditional but a default.
  if (conditional.test(foreign)) return writeTag({ name: known ?? 'firstName', fallback: '…' })
  const fallback = foreign.startsWith('{{{') ? defaultText.replaceAll(/["']/g, '').trim() : ''
  return writeTag({ name: known ?? `fields.${keyOf(named)}`, fallback })
}

const conditional =
  /^(?:\{%|\*\|(?:IF|ELSE|END)\b|\{\{[-~]?\s*(?:[#/^]|(?:if|else|end|range|with)\b))/

/** The last word of a name such as `.Subscriber.Attribs.city`, as the key of a field. */
function keyOf(named: string): string {
  const [word = ''] = named
    .trim()
    .split(/[.:\s]+/)
    .slice(-1)
  const key = word
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 60)
  return /^[a-z]/.test(key) ? key : 'key'
}

/**
 * `[First name]`, `[COMPANY]`, `[Name,fallback=there]` and `[webversion]` of Sendy, not
 * `[text](address)`: names in brackets stand for data of the reader in letters that are merged by
 * hand.
 */
const placeholderPattern =
  /\[{1,2}((?:your |first|last|full|user|contact|customer|client|subscriber|recipient|company|votre |insert )?[ _-]?(?:name|fname|lname|e-?mail|company|city|date|link|url|unsubscribe|webversion|phone|title|address|nom|pr[ée]nom|ville|entreprise|soci[ée]t[ée]|vorname|nachname|nombre)(?:,fallback=[^\]]{0,100})?)\]{1,2}(?!\()/gi

export const findPlaceholders = (text: string): string[] => [
  ...new Set(text.match(placeholderPattern)),
]

/** All texts of a mail that an author wrote, for either search. */
export const textsOfMail = ({
  subject,
  preheader,
  source,
}: Pick<CampaignToCompile, 'subject' | 'preheader' | 'source'>): string[] => [
  subject,
  preheader ?? '',
  ...(source.kind === 'text'
    ? [source.text]
    : source.kind === 'html'
      ? [source.html]
      : source.blocks.flatMap(textsOfBlock)),
]

const textsOfBlock = (block: Block): string[] =>
  block.type === 'columns'
    ? block.columns.flat().flatMap(textsOfBlock)
    : Object.values(block).flatMap((value) =>
        [value].flat().filter((item) => typeof item === 'string'),
      )

/** The words that readers see: placeholders within tags and styles are none. */
export function wordsOfHtml(html: string): string {
  const words: string[] = []
  scanTags(html, {
    onText: (text) => void words.push(text),
    onOpen: () => undefined,
    onClose: () => undefined,
  })
  return words.join(' ')
}
