/**
 * PATCH /campaigns/{id}/annotations: what users note about a campaign, in any state, since it is no
 * part of the mail.
 */
import { onlyFields, partOf } from '../../../contract/campaign-fields.ts'
import { splitLines } from '../../../contract/plain-text.ts'
import { writeAnnotations } from '../../../db/campaigns/campaign-life.ts'
import { shapeError } from '../../input/shape-error.ts'
import type { Verb } from '../../verb.ts'
import { findCampaign } from '../find-campaign.ts'
import { readRun } from './get-campaign-run.ts'

const annotations = partOf('value', { annotation: true })

export const annotateCampaign: Verb<'annotateCampaign'> = async (ctx, { params, body }) => {
  const { id } = await findCampaign(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const fields = Object.entries(onlyFields(body, annotations)).map(([name, value]) => [
    name,
    readAnnotation(value, name),
  ])
  if (fields.length > 0)
    await writeAnnotations(ctx.db, { workspaceId: ctx.workspaceId, id }, Object.fromEntries(fields))
  return { body: await readRun(ctx, { workspaceId: ctx.workspaceId, id }) }
}

/** Lines of a text; null for an empty one. Their length was validated. */
function readAnnotation(value: unknown, path: string): unknown {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return null
  const lines = splitLines(value, Infinity)
  if (lines === null) throw shapeError([{ path, rule: 'control_character' }])
  return lines
}
