/**
 * What the list of subscribers shows, as the page's address says it: a status, a text, conditions,
 * an order and columns. Addresses of single filters (`?tag=vip`) stand for a condition each.
 */
import type { SubscriberStatus } from '../../../../src/contract/subscribers.ts'
import type { AudienceSort } from '../../../../src/contract/workspace/audience-list.ts'
import { choiceIn, textIn } from '../../parts/table/read-view.ts'

const statuses: readonly SubscriberStatus[] = [
  'subscribed',
  'pending',
  'unsubscribed',
  'bounced',
  'complained',
]
const sorts: readonly AudienceSort[] = ['-created', 'created', 'email', '-email']

export interface SubscribersView {
  status?: SubscriberStatus | undefined
  q?: string | undefined
  sort?: AudienceSort | undefined
  /** The conditions as JSON, a list. */
  filters?: string | undefined
  /** `any`: one of them is enough; otherwise all hold. */
  match?: 'any' | undefined
  /** Names of the optional columns that show, with commas between them. */
  columns?: string | undefined
  /** The segment whose contacts the list shows. */
  segment?: string | undefined
  /** The contact whose sheet is open. */
  contact?: string | undefined
  tag?: string | undefined
  source?: string | undefined
  field?: string | undefined
  value?: string | undefined
}

export function readSubscribersView(search: Record<string, unknown>): SubscribersView {
  const text = (name: string): string | undefined => textIn(search, name)
  return {
    status: choiceIn(search, 'status', statuses),
    sort: choiceIn(search, 'sort', sorts),
    match: choiceIn(search, 'match', ['any']),
    ...{ q: text('q'), filters: text('filters'), columns: text('columns') },
    ...{ segment: text('segment'), contact: text('contact') },
    ...{ tag: text('tag'), source: text('source'), field: text('field'), value: text('value') },
  }
}
