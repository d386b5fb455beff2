/** One workspace's turn of its subscribers: adds new and renamed ones to the search index. */
import type { Service } from '../../core/context.ts'
import { indexSubscribers, indexedAtOnce } from '../../core/subscribers/index-subscribers.ts'
import { raiseSubscribersDue } from '../../db/sending/due.ts'
import type { Turn } from './deliver-due.ts'

export async function maintainSubscribers(service: Service, workspaceId: number): Promise<Turn> {
  if ((await indexSubscribers(service, workspaceId)) === indexedAtOnce) return 'more'
  await raiseSubscribersDue(service.db, workspaceId)
  return 'later'
}
