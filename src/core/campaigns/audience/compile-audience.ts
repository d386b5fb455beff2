/**
 * Reads the audience of a campaign for a count or a freeze: the definitions of its segments as they
 * are now, checked against the workspace's fields and campaigns.
 */
import type { TypedField } from '../../../contract/field-types.ts'
import type { Audience, AudiencePart } from '../../../contract/workspace/campaign-audience.ts'
import type { Condition } from '../../../contract/segments.ts'
import type { Database } from '../../../database/client/database.ts'
import type { AudienceConditions } from '../../../db/campaigns/audience-conditions.ts'
import type { FrozenAudience, TopicOfCampaign } from '../../../db/campaigns/campaign-audience.ts'
import { lockSegments, type FrozenSegment } from '../../../db/audience/segments/named-segments.ts'
import { singlesOf } from '../../audience/segments/map-single.ts'
import { readContext } from '../../audience/segments/read-context.ts'
import { resolveDefinition } from '../../audience/segments/resolve-definition.ts'
import { shapeError } from '../../input/shape-error.ts'

export interface CompiledAudience {
  conditions: AudienceConditions
  /** Its conditions read who waits for the mail of another campaign. */
  readsWaiting: boolean
  /** The definition that the list is frozen by, stored with the campaign. */
  frozen: FrozenAudience
}

/**
 * In the transaction of the count or the freeze: its segments stay until it ends. Throws
 * `validation_error` for a segment that is gone, or whose conditions can no longer be evaluated.
 */
export async function compileAudience(
  tx: Database,
  workspaceId: number,
  audience: Audience,
  topic: TopicOfCampaign | null = null,
): Promise<CompiledAudience> {
  const segments = await lockSegments(tx, workspaceId, segmentIdsOf(audience))
  const resolved = await resolveAll(tx, workspaceId, segments)
  const conditionOf = (part: AudiencePart, path: string): Condition => {
    if ('tags' in part) return { any: part.tags.map((tag) => ({ tag })) }
    if (!('segment' in part)) return part
    const definition = resolved.definitions.get(part.segment)
    if (definition === undefined) throw shapeError([{ path: `${path}.segment`, rule: 'unknown' }])
    return definition
  }
  const to = audience.to && conditionOf(audience.to, 'to')
  const except = audience.except.map((part, index) => conditionOf(part, `except.${index}`))
  const conditions = [...(to ? [to] : []), ...except]
  const context = await readContext(tx, workspaceId, { fields: resolved.fields, conditions })
  return {
    conditions: { context: { ...context, countsWaiting: true }, topic, to, except },
    readsWaiting: conditions
      .flatMap(singlesOf)
      .some((single) => 'received' in single && !('campaign' in single.received)),
    frozen: {
      ...audience,
      at: context.at.toISOString(),
      segments: segments.map((segment) => ({
        ...segment,
        definition: resolved.definitions.get(segment.id) ?? segment.definition,
      })),
    },
  }
}

/** Each once. */
export const segmentIdsOf = ({ to, except }: Audience): string[] => [
  ...new Set(
    [...(to ? [to] : []), ...except].flatMap((part) => ('segment' in part ? [part.segment] : [])),
  ),
]

async function resolveAll(db: Database, workspaceId: number, segments: FrozenSegment[]) {
  const definitions = new Map<string, Condition>()
  let fields: ReadonlyMap<string, TypedField> = new Map()
  for (const { id, definition } of segments) {
    const resolved = await resolveDefinition({ db, workspaceId }, { written: definition })
    definitions.set(id, resolved.definition)
    fields = resolved.fields
  }
  return { definitions, fields }
}
