/** The facts that a definition is compiled by, and the lists that it joins to its subscribers. */
import type { TypedField } from '../../../contract/field-types.ts'
import { fragment, part, type Fragment } from '../../../database/client/fragment.ts'
import type { TagSpellings } from './tag-spellings.ts'

/** The facts that a definition is read by. */
export interface DefinitionContext {
  workspaceId: number
  /** By identifier: every field that the definition names. */
  fields: ReadonlyMap<string, TypedField>
  /** Of every tag that the definition names. */
  tags: TagSpellings
  /**
   * The campaigns whose details say more than the stored dates of engagement. Null means that the
   * statement itself finds them, in its own snapshot.
   */
  undated: string[] | null
  /** In a campaign's audience, who waits for the mail of another or may have it has received it. */
  countsWaiting?: boolean
  /** The workspace's time zone, by its IANA name: its days are those of conditions. */
  timeZone: string
  /** The instant that `within_days` counts back from. */
  at: Date
}

/** With the lists that the conditions compare with. */
export type Compiling = DefinitionContext & {
  joins: Joins
  /** Makes a test that may be null true or false, where the difference shows. */
  sure: (test: Fragment) => Fragment
}

export interface Joins {
  /**
   * Returns the alias of a list. It holds at most one row for each `subscriber_id`, and the
   * subscribers that it lacks have nulls.
   */
  add(key: string, list: Fragment): Fragment
  /** Adds whole joins, whose names are their own. */
  addOnce(key: string, joins: Fragment): void
  all(): Fragment
}

/** A join rather than a subquery: PostgreSQL joins by a hash wherever the condition stands. */
export function createJoins(): Joins {
  const aliases = new Map<string, Fragment>()
  let joins = fragment``
  return {
    add(key, list) {
      const known = aliases.get(key)
      if (known !== undefined) return known
      const alias = fragment`list_${aliases.size}`
      aliases.set(key, alias)
      joins = part`${joins} left join (${list}) as ${alias} on ${alias}.subscriber_id = s.id`
      return alias
    },
    addOnce(key, own) {
      if (aliases.has(key)) return
      aliases.set(key, fragment``)
      joins = part`${joins} ${own}`
    },
    all: () => joins,
  }
}
