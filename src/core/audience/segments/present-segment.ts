/** Shows a segment as members write it: fields by their keys, forms as their pages name them. */
import type { Condition, SingleCondition } from '../../../contract/segments.ts'
import { fieldsOf } from '../../../db/audience/subscriber-fields.ts'
import type { SegmentRow } from '../../../db/audience/segments/segments.ts'
import type { CallContext } from '../../context.ts'
import { writeFormId } from '../../input/form-id.ts'
import { mapSingle } from './map-single.ts'

type Parts = Pick<CallContext, 'db' | 'workspaceId'>

export async function presentSegments(ctx: Parts, rows: SegmentRow[]) {
  const fields = await fieldsOf(ctx.db, ctx.workspaceId)
  const keys = new Map(fields.map(({ id, key }) => [id, key]))
  return rows.map((row) => ({
    object: 'segment' as const,
    id: row.id,
    name: row.name,
    definition: asWritten(ctx.workspaceId, keys, row.definition),
    version: row.version,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }))
}

export async function presentSegment(ctx: Parts, row: SegmentRow) {
  const [segment] = await presentSegments(ctx, [row])
  if (segment === undefined) throw new Error(`The segment ${row.id} was not presented`)
  return segment
}

function asWritten(
  workspaceId: number,
  keys: ReadonlyMap<string, string>,
  definition: Condition,
): Condition {
  const write = (condition: SingleCondition): SingleCondition => {
    if ('field' in condition)
      return { ...condition, field: keys.get(condition.field) ?? condition.field }
    if (!('source' in condition) || condition.form === undefined) return condition
    return { ...condition, form: writeFormId({ workspaceId, id: condition.form }) }
  }
  return mapSingle(definition, '', write)
}
