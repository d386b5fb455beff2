/** Checks the mail itself: alternative texts of images, existing merge fields, and a size that mailboxes show in full. */
import { unknownFields } from '../../../db/subscribers/audience-counts.ts'
import type { CompiledCampaign, Template } from '../../../mail/merge/compiled-campaign.ts'
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

/** A field that no subscriber has, without a default, leaves a gap in every mail. */
export async function checkFields(
  { db }: Pick<Context, 'db'>,
  { workspaceId, tags }: { workspaceId: number } & Pick<CompiledCampaign, 'tags'>,
): Promise<Finding[]> {
  const keys = tags.flatMap(({ name, fallback }) =>
    name.startsWith('fields.') && fallback === '' ? [name.slice('fields.'.length)] : [],
  )
  const unknown = await unknownFields(db, workspaceId, [...new Set(keys)])
  if (unknown.length === 0) return [ok('fields', 'good', { tags: tags.length })]
  return unknown.map((field) => warning('fields', 'unknown_field', { field }))
}

export function checkSize(template: Template): Finding {
  const token = 'x'.repeat(64)
  const bytes = Buffer.byteLength(template.renderHtml(null, { unsubscribe: token, view: token, track: token }))
  return bytes > shownWholeMax
    ? problem('size', 'too_large', { bytes, max: shownWholeMax })
    : ok('size', 'good', { bytes, max: shownWholeMax })
}
