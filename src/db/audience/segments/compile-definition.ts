/**
 * Compiles the definition of a segment to one condition over subscribers. Count, sample, members,
 * export and the freeze of a campaign all use it, so that they agree. Every value is a parameter,
 * and each condition is true or false, never null: `not` turns each around.
 */
import type { Condition, SingleCondition } from '../../../contract/segments.ts'
import { fragment, part, type Fragment } from '../../../database/client/fragment.ts'
import { dateCondition } from './date-conditions.ts'
import { engagementCondition } from './engagement-conditions.ts'
import { fieldCondition } from './field-conditions.ts'
import { createJoins, type Compiling, type DefinitionContext } from './compiling.ts'

/** `from subscriber s ${joins} where s.workspace_id = … and ${condition}`: each row once. */
export interface CompiledDefinition {
  joins: Fragment
  condition: Fragment
}

export function compileDefinition(
  context: DefinitionContext,
  definition: Condition,
): CompiledDefinition {
  const joins = createJoins()
  const condition = compileCondition({ ...context, joins }, definition)
  return { joins: joins.all(), condition }
}

/** The same for several, which share their joins: each condition by itself. */
export function compileTogether(
  context: DefinitionContext,
  definitions: Condition[],
): { joins: Fragment; conditions: Fragment[] } {
  const joins = createJoins()
  const conditions = definitions.map((each) => compileCondition({ ...context, joins }, each))
  return { joins: joins.all(), conditions }
}

function compileCondition(compiling: Compiling, condition: Condition): Fragment {
  const compileAll = (conditions: Condition[]): Fragment[] =>
    conditions
      .toSorted((a, b) => costOf(a) - costOf(b))
      .map((each) => compileCondition(compiling, each))
  if ('all' in condition) return joined(compileAll(condition.all), 'all')
  if ('any' in condition) return joined(compileAll(condition.any), 'any')
  if ('none' in condition) return part`not ${joined(compileAll(condition.none), 'any')}`
  return part`(${compileSingle(compiling, condition)})`
}

/** All of nothing holds, and any of nothing does not. */
function joined(conditions: Fragment[], by: 'all' | 'any'): Fragment {
  const [first, ...others] = conditions
  if (first === undefined) return by === 'all' ? fragment`true` : fragment`false`
  const whole = others.reduce(
    (before, each) => (by === 'all' ? part`${before} and ${each}` : part`${before} or ${each}`),
    first,
  )
  return part`(${whole})`
}

function compileSingle(compiling: Compiling, single: SingleCondition): Fragment {
  if ('tag' in single) return hasTag(compiling, single.tag)
  if ('field' in single) return fieldCondition(compiling, single)
  if ('status' in single) return part`s.status = ${single.status}`
  if ('source' in single) return isFrom(single)
  if ('language' in single) return part`coalesce(s.language = ${single.language}, false)`
  if ('received' in single || 'opened' in single || 'clicked' in single)
    return engagementCondition(compiling, single)
  return dateCondition(compiling, single)
}

function hasTag({ tags }: Compiling, tag: string): Fragment {
  const spellings = tags.get(tag)
  if (!spellings) throw new Error(`A definition names the tag ${tag}, which was not read`)
  return part`s.tags && ${spellings}::text[]`
}

const isFrom = ({ source, form }: Extract<SingleCondition, { source: string }>): Fragment =>
  form === undefined
    ? part`s.source = ${source}`
    : part`s.source = ${source} and coalesce(s.form_id = ${form}::uuid, false)`

/** PostgreSQL checks conditions in their order: those that cost least come first. */
function costOf(condition: Condition): number {
  if ('all' in condition) return costOfAll(condition.all)
  if ('any' in condition) return costOfAll(condition.any)
  if ('none' in condition) return costOfAll(condition.none)
  if ('field' in condition) return 'empty' in condition ? 3 : 4
  return 'tag' in condition ? 2 : 1
}

const costOfAll = (conditions: Condition[]): number => Math.max(0, ...conditions.map(costOf))
