/**
 * Checks a definition against the workspace: its fields, forms and campaigns. Members write fields
 * by their keys and forms as their pages show them; what is stored names both by identifiers. A
 * stored definition is checked again before each use, because types change and details expire.
 */
import type { TypedField } from '../../../contract/field-types.ts'
import {
  fieldOperators,
  type Condition,
  type EngagementTest,
  type FieldCondition,
  type FieldOperator,
  type SingleCondition,
} from '../../../contract/segments.ts'
import { fieldsOf, type FieldRow } from '../../../db/audience/subscriber-fields.ts'
import { campaignEndsOf, type CampaignEnd } from '../../../db/audience/segments/named-campaigns.ts'
import type { Database } from '../../../database/client/database.ts'
import type { RetentionLimit } from '../../../db/retention/retention-limits.ts'
import { readFormId } from '../../input/form-id.ts'
import { shapeError, type ShapeProblem } from '../../input/shape-error.ts'
import { expiredAt, limitOf } from '../../presentation/expiry.ts'
import { fits } from '../fields/field-values.ts'
import { singlesOf, mapSingle } from './map-single.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'

export interface ResolvedDefinition {
  definition: Condition
  /** Every field of the workspace by its identifier. */
  fields: ReadonlyMap<string, TypedField>
}

interface Known {
  workspaceId: number
  fields: FieldRow[]
  campaigns: ReadonlyMap<string, CampaignEnd>
  retention: RetentionLimit
}

/** Throws `validation_error` with the path of the part that names nothing, or no longer can. */
export async function resolveDefinition(
  ctx: { db: Database; workspaceId: number },
  { written, path = 'definition' }: { written: Condition; path?: string },
): Promise<ResolvedDefinition> {
  const { db, workspaceId } = ctx
  const singles = singlesOf(written)
  if (singles.filter(readsDetails).length > segmentLimits.detailsMax)
    throw shapeError([{ path, rule: 'details_conditions', limit: segmentLimits.detailsMax }])
  const [fields, campaigns, retention] = [
    await fieldsOf(db, workspaceId),
    await campaignEndsOf(db, workspaceId, singles.flatMap(campaignOf)),
    await limitOf(ctx, 'delivery_details'),
  ]
  const known = { workspaceId, fields, campaigns, retention }
  return {
    definition: mapSingle(written, path, (single, at) => resolveSingle(known, single, at)),
    fields: new Map(fields.map((field) => [field.id, field])),
  }
}

const engagementOf = (single: SingleCondition): [kind: string, test: EngagementTest] | null =>
  'received' in single
    ? ['received', single.received]
    : 'opened' in single
      ? ['opened', single.opened]
      : 'clicked' in single
        ? ['clicked', single.clicked]
        : null

function campaignOf(single: SingleCondition): string[] {
  const [, test] = engagementOf(single) ?? []
  return test !== undefined && 'campaign' in test ? [test.campaign] : []
}

const readsDetails = (single: SingleCondition): boolean => campaignOf(single).length > 0

function resolveSingle(known: Known, single: SingleCondition, path: string): SingleCondition {
  if ('field' in single) return resolveField(known, single, path)
  if ('source' in single) return resolveForm(known, single, path)
  checkCampaign(known, single, path)
  return single
}

function resolveField({ fields }: Known, single: FieldCondition, path: string): SingleCondition {
  const field = fields.find(({ id, key }) => single.field === id || single.field === key)
  if (field === undefined) throw shapeError([{ path: `${path}.field`, rule: 'unknown' }])
  const allowed: readonly FieldOperator[] = fieldOperators[field.type]
  const operator = allowed.find((each) => each in single)
  if (operator === undefined)
    throw shapeError([
      { path, rule: 'field_operator', expected: field.type, allowed: [...allowed] },
    ])
  const value = 'is' in single ? single.is : 'is_not' in single ? single.is_not : null
  if (value !== null) checkValue(field, value, `${path}.${operator}`)
  return { ...single, field: field.id }
}

const valueRules = {
  number: 'field_number',
  date: 'field_date',
  boolean: 'field_boolean',
} as const

/** A text that is no choice any longer is compared, and equals none. */
function checkValue(field: FieldRow, value: string, path: string): void {
  if (field.type === 'text' || field.type === 'choice' || fits(field, value)) return
  throw shapeError([{ path, rule: valueRules[field.type] }])
}

const identifier = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A form that was deleted still names those who came by it. */
function resolveForm(
  { workspaceId }: Known,
  single: Extract<SingleCondition, { source: string }>,
  path: string,
): SingleCondition {
  if (single.form === undefined || identifier.test(single.form)) return single
  const form = readFormId(single.form)
  if (form?.workspaceId !== workspaceId)
    throw shapeError([{ path: `${path}.form`, rule: 'unknown' }])
  return { ...single, form: form.id }
}

function checkCampaign(
  { campaigns, retention }: Known,
  single: SingleCondition,
  path: string,
): void {
  const [kind = '', test] = engagementOf(single) ?? []
  if (test === undefined || !('campaign' in test)) return
  const at = `${path}.${kind}.campaign`
  const campaign = campaigns.get(test.campaign)
  if (campaign === undefined) throw shapeError([{ path: at, rule: 'unknown' }])
  const since = campaign.completedAt && expiredAt(retention, campaign.completedAt)
  if (since) throw shapeError([expiredCampaign(at, since)])
}

const expiredCampaign = (path: string, since: string): ShapeProblem => ({
  path,
  rule: 'campaign_expired',
  expected: since.slice(0, 10),
})
