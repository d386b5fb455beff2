/** Words a refusal that names its cause for an operator: what it is, what to do, and with what. */
import type { RefusalExplained } from '../../contract/workspace/refusals.ts'

export const sayRefusal = (refusal: RefusalExplained): string =>
  `${refusal.what} ${sayRefusalNext(refusal)}`

export const sayRefusalNext = ({ next, records, link }: RefusalExplained): string =>
  [
    next,
    ...records.map(({ type, name, value }) => `${name} ${type} ${value}`),
    ...(link === null ? [] : [link]),
  ].join(' ')
