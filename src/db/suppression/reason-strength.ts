/** Of two reasons for a suppression, the stronger stays: this file says which that is. */
import { fragment, type Fragment } from '../../database/client/fragment.ts'

/** A number that grows with the strength of the reason. */
export const strengthOf = (reason: Fragment): Fragment =>
  fragment`array_position(array['unsubscribe', 'manual', 'bounce', 'complaint'], ${reason})`

/** The reason of an entry `s` that a second one, `excluded`, meets. */
export const strongerOfSAndExcluded = fragment`case
        when ${strengthOf(fragment`excluded.reason`)} > ${strengthOf(fragment`s.reason`)}
        then excluded.reason
        else s.reason end`
