/**
 * The hook saves a draft by the service while its editor is open, and stores unsaved text in this
 * browser.
 */
import { useWindowEvent } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Draft } from '../../../../../src/contract/workspace/drafts.ts'
import { apiOf } from '../../../api/client.ts'
import { Refusal } from '../../../api/refusal.ts'
import { slugHere } from '../../../api/slug-here.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { createDraftSaver, type DraftSaver, type DraftSaverState } from './draft-saver.ts'
import { unsavedStore } from './unsaved-store.ts'

/** The interval of the check whether another user saved. */
const pollMs = 8_000

export function useDraftSaver(draft: Draft): { keeper: DraftSaver; state: DraftSaverState } {
  const { id } = draft
  const [keeper] = useState(() => {
    // A user may go to another workspace within a second of typing: the save still goes to this
    // one.
    const slug = slugHere()
    const api = apiOf(slug)
    const store = unsavedStore(`${slug}-${id}`)
    return createDraftSaver(draft, store.read(), {
      save: (typed, version, keepAs) =>
        api.saveDraft({ params: { id }, body: { ...typed, version, keepAs } }),
      newerOf,
      remember: store.write,
      later(work, ms) {
        const timer = window.setTimeout(work, ms)
        return () => window.clearTimeout(timer)
      },
    })
  })
  const state = useSyncExternalStore(keeper.subscribe, keeper.state)
  const { data: read } = useAsk('getDraft', { params: { id } }, { poll: pollMs })
  useEffect(() => {
    if (read) keeper.meet(read)
  }, [read, keeper])
  useWindowEvent('online', () => void keeper.saveNow())
  const queries = useQueryClient()
  useEffect(
    () => () => {
      // A user may leave within a second of typing: the hook still saves, and a return begins with
      // that text.
      void keeper.end().then(() => queries.invalidateQueries({ predicate: isRun }))
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[1] === 'getDraft' })
    },
    [keeper, queries],
  )
  return { keeper, state }
}

/** What the page of the campaign may have read before the last save: whether it is unfinished. */
const isRun = ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
  queryKey[1] === 'getCampaignRun'

/** The refusal of a save names this newer draft. */
function newerOf(error: unknown): Draft | null {
  if (!(error instanceof Refusal) || error.details['reason'] !== 'version') return null
  // This refusal carries a draft (src/core/campaigns/drafts/save-draft.ts).
  return error.details['draft'] as Draft
}
