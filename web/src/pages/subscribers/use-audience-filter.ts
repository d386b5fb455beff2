/** The filters of the audience, as the page's address has them and the service is asked by them. */
import { useSearch } from '@tanstack/react-router'
import type { Given } from '../../api/client.ts'
import { sources, subscriberStatuses } from './words.ts'

export type AudienceFilter = Omit<NonNullable<Given<'findSubscribers'>['query']>, 'limit' | 'cursor'>

/** What is no filter that the service knows is left out: addresses are typed by hand too. */
export function useAudienceFilter(): { filter: AudienceFilter; isSet: boolean } {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const text = (name: string): string | undefined => {
    const value = search[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const status = subscriberStatuses.find((one) => one === text('status'))
  const source = sources.find((one) => one === text('source'))
  const [q, tag, field] = [text('q'), text('tag'), text('field')]
  const value = field === undefined ? undefined : text('value')
  const filter: AudienceFilter = {
    ...(q !== undefined && { q }),
    ...(status && { status }),
    ...(tag !== undefined && { tag }),
    ...(source && { source }),
    ...(field !== undefined && { field }),
    ...(value !== undefined && { value }),
  }
  return { filter, isSet: Object.keys(filter).length > 0 }
}
