/**
 * Compiles the definition of a segment to one condition over subscribers. Count, sample, members,
 * export and the freeze of a campaign all use it, so that they agree. Every value is a parameter,
 * and what `not` may turn around is true or false, never null.
 */
import type { Condition, SingleCondition } from '../../../contract/segments.ts'
import { fragment, part, type Fragment } from '../../../database/client/fragment.ts'
import { dateCondition } from './date-conditions.ts'
import { engagementCondition } from './engagement-conditions.ts'
import { fieldCondition } from './field-conditions.ts'
import { createJoins, type Compiling, type DefinitionContext } from './compiling.ts'

/**
 * `from subscriber s ${joins} where s.workspace_id = … and ${condition}`: each row once. The
 * condition stands in a `where`, beside `and` alone: it may be null instead of false.
 */
export interface CompiledDefinition {
  joins: Fragment
  condition: Fragment
}

export function compileDefinition(
  context: DefinitionContext,
  definition: Condition,
): CompiledDefinition {
  const joins = createJoins()
  // PostgreSQL reads a joined list by a test that it sees to refuse nulls, and joins what is left.
  const condition = compileCondition({ ...context, joins, sure: (test) => test }, definition)
  return { joins: joins.all(), condition }
}

/** The same for several, which share their joins: each condition by itself, and never null. */
export function compileTogether(
  context: DefinitionContext,
  definitions: Condition[],
): { joins: Fragment; conditions: Fragment[] } {
  const joins = createJoins()
  const compiling = { ...context, joins, sure: orFalse }
  const conditions = definitions.map((each) => compileCondition(compiling, each))
  return { joins: joins.all(), conditions }
}

const orFalse = (test: Fragment): Fragment => part`coalesce(${test}, false)`

function compileCondition(compiling: Compiling, condition: Condition): Fragment {
  const compileAll = (conditions: Condition[], sure = compiling.sure): Fragment[] =>
    conditions
      .toSorted((a, b) => costOf(a) - costOf(b))
      .map((each) => compileCondition({ ...compiling, sure }, each))
  if ('all' in condition) return joined(compileAll(condition.all), 'all')
  if ('any' in condition) return joined(compileAll(condition.any), 'any')
  if ('none' in condition) return part`not ${joined(compileAll(condition.none, orFalse), 'any')}`
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
  if ('source' in single) return isFrom(compiling, single)
  if ('language' in single) return compiling.sure(part`s.language = ${single.language}`)
  if ('received' in single || 'opened' in single || 'clicked' in single)
    return engagementCondition(compiling, single)
  return dateCondition(compiling, single)
}

function hasTag({ tags }: Compiling, tag: string): Fragment {
  const spellings = tags.get(tag)
  if (!spellings) throw new Error(`A definition names the tag ${tag}, which was not read`)
  const [only, ...others] = spellings
  // `&&` takes both arrays apart for each contact: a million of them cost a quarter more.
  return only !== undefined && others.length === 0
    ? part`${only} = any (s.tags)`
    : part`s.tags && ${spellings}::text[]`
}

const isFrom = (
  { sure }: Compiling,
  { source, form }: Extract<SingleCondition, { source: string }>,
): Fragment =>
  form === undefined
    ? part`s.source = ${source}`
    : part`s.source = ${source} and ${sure(part`s.form_id = ${form}::uuid`)}`

/** PostgreSQL checks conditions in their order: those that cost least come first. */
function costOf(condition: Condition): number {
  if ('all' in condition) return costOfAll(condition.all)
  if ('any' in condition) return costOfAll(condition.any)
  if ('none' in condition) return costOfAll(condition.none)
  if ('field' in condition) return 'empty' in condition ? 3 : 4
  return 'tag' in condition ? 2 : 1
}

const costOfAll = (conditions: Condition[]): number => Math.max(0, ...conditions.map(costOf))
