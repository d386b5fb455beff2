/**
 * Checks the mail itself: alternative texts of images, values of merge tags, syntax of other
 * products, and a size that mailboxes show in full.
 */
import { countMissingValues, unknownFields } from '../../../db/audience/audience-counts.ts'
import type {
  CampaignToCompile,
  CompiledCampaign,
  Template,
} from '../../../mail/merge/compiled-campaign.ts'
import {
  findForeignSyntax,
  findPlaceholders,
  textsOfMail,
  wordsOfHtml,
} from '../../../mail/content/foreign-syntax.ts'
import type { Context } from '../../context.ts'
import { ok, problem, warning, type Finding } from './finding.ts'

/** Gmail cuts longer mails and hides the rest, including the unsubscribe link. */
const shownWholeMax = 102 * 1024

/** An empty alternative text means that the image is decorative. */
export function checkImages({ images }: Pick<CompiledCampaign, 'images'>): Finding[] {
  if (images.length === 0) return [ok('images', 'no_images')]
  const without = images.filter(({ alt }) => alt === null)
  if (without.length === 0) return [ok('images', 'good', { images: images.length })]
  return without.map(({ src }) => warning('images', 'no_alt', { src }))
}

/** Their text and their picture stay in the mail without them. */
export const checkRemoved = ({ removed }: Pick<CompiledCampaign, 'removed'>): Finding[] =>
  removed.map((url) => warning('links', 'address_removed', { url }))

/**
 * Finds syntax that was saved before it was refused, and names in brackets, which may be meant;
 * each once.
 */
export function checkSyntax(mail: CampaignToCompile): Finding[] {
  const foreign = new Map(
    textsOfMail(mail).flatMap((text) =>
      findForeignSyntax(text).map((result) => [result.value, result.ours] as const),
    ),
  )
  const placeholders = new Set(
    textsOfMail(mail).flatMap((text) => findPlaceholders(wordsOfHtml(text))),
  )
  return [
    ...[...foreign]
      .slice(0, syntaxMax)
      .map(([value, ours]) => warning('fields', 'template_syntax', { value, ours })),
    ...[...placeholders]
      .slice(0, syntaxMax)
      .map((value) => warning('fields', 'placeholder', { value })),
  ]
}

/** Findings of each kind. */
const syntaxMax = 10

/** So many subscribers are asked for their values: the check of a larger list takes no longer. */
const askedForValuesMax = 100_000

/**
 * A tag without a default leaves a gap ("Dear ,") in the mail of each reader without its value, and
 * one with a default shows that: both are counted.
 */
export async function checkFields(
  { db }: Pick<Context, 'db'>,
  {
    workspaceId,
    tags,
    recipients,
  }: { workspaceId: number; recipients: number } & Pick<CompiledCampaign, 'tags'>,
): Promise<Finding[]> {
  const ofReaders = tags.filter(({ name }) => isOfReader(name))
  const bare = new Set<string>(
    ofReaders.flatMap(({ name, fallback }) => (fallback === '' ? [name] : [])),
  )
  // The first default stands for all of its tag.
  const defaults = new Map<string, string>(
    ofReaders
      .toReversed()
      .flatMap(({ name, fallback }) => (bare.has(name) ? [] : [[name, fallback] as const])),
  )
  const unknown = await unknownFields(db, workspaceId, [...bare].filter(isField).map(keyOf))
  const counted = [...bare, ...defaults.keys()].filter((name) => !unknown.includes(keyOf(name)))
  const missing =
    counted.length === 0
      ? []
      : await countMissingValues(db, { workspaceId, tags: counted, max: askedForValuesMax })
  const isPart = recipients > askedForValuesMax
  const findings = missing.map(({ tag, count }) =>
    findingOf({ tag, count, fallback: defaults.get(tag), isPart }),
  )
  const warnings = [
    ...unknown.map((field) => warning('fields', 'unknown_field', { field })),
    ...findings.filter(({ status }) => status === 'warning'),
  ]
  return [
    ...(warnings.length > 0 ? warnings : [ok('fields', 'good', { tags: tags.length })]),
    ...findings.filter(({ status }) => status === 'ok'),
  ]
}

interface MissingValue {
  tag: string
  count: number
  /** Absent: the mail has a gap. */
  fallback: string | undefined
  /** Whether there are more recipients than were counted. */
  isPart: boolean
}

function findingOf({ tag, count, fallback, isPart }: MissingValue): Finding {
  const of = askedForValuesMax
  if (fallback === undefined)
    return isPart
      ? warning('fields', 'missing_value_many', { tag, count, of })
      : warning('fields', 'missing_value', { tag, count })
  return isPart
    ? ok('fields', 'default_shown_many', { tag, count, of, fallback })
    : ok('fields', 'default_shown', { tag, count, fallback })
}

/** Everybody has an address, and the links of the mail. */
const isOfReader = (name: string): boolean =>
  name === 'firstName' || name === 'lastName' || isField(name)
const isField = (name: string): boolean => name.startsWith('fields.')
const keyOf = (name: string): string => name.replace(/^fields\./, '')

export function checkSize(template: Template): Finding {
  const token = 'x'.repeat(64)
  const bytes = Buffer.byteLength(
    template.renderHtml(null, { unsubscribe: token, view: token, track: token }),
  )
  return bytes > shownWholeMax
    ? problem('size', 'too_large', { bytes, max: shownWholeMax })
    : ok('size', 'good', { bytes, max: shownWholeMax })
}
