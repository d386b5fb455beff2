/** Reads the time that a list is narrowed to, as the identifiers of its first and last entries. */
import { firstIdAt } from '../../ground/ids.ts'
import { readTime } from './read-time.ts'

export interface IdPeriod {
  /** From this identifier on. */
  from: string
  /** Only older ones. */
  to: string
}

/** Identifiers carry the time. Throws `validation_error`. */
export const readIdPeriod = ({
  from,
  to,
}: {
  from?: string | undefined
  to?: string | undefined
}): IdPeriod => ({
  from: from === undefined ? firstIdAt(0) : firstIdAt(readTime(from, 'from')),
  to: to === undefined ? lastId : firstIdAt(readTime(to, 'to')),
})

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
