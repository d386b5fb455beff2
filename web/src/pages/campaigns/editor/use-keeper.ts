/** A draft's keeper for as long as its editor is open: it saves by the service, and remembers in this browser what is not saved yet. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Draft } from '../../../../../src/contract/workspace/drafts.ts'
import { api } from '../../../api/client.ts'
import { Refusal } from '../../../api/refusal.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { useSlug } from '../../../parts/use-slug.ts'
import { createKeeper } from './draft-keeper.ts'
import type { Keeper, KeeperState, Unsaved } from './draft-keeper.ts'

/** How often it is looked whether somebody else saved. */
const lookMs = 8_000

export function useKeeper(draft: Draft): { keeper: Keeper; state: KeeperState } {
  const slug = useSlug()
  const { id } = draft
  const [keeper] = useState(() => {
    const store = storeOf(`facteur-draft-${slug}-${id}`)
    return createKeeper(draft, store.read(), {
      save: (typed, version, keepAs) => api.saveDraft({ params: { id }, body: { ...typed, version, keepAs } }),
      newerOf,
      remember: store.write,
      later(work, ms) {
        const timer = window.setTimeout(work, ms)
        return () => window.clearTimeout(timer)
      },
    })
  })
  const state = useSyncExternalStore(keeper.subscribe, keeper.state)
  const { data: read } = useAsk('getDraft', { params: { id } }, { poll: lookMs })
  useEffect(() => {
    if (read) keeper.meet(read)
  }, [read, keeper])
  useEffect(() => {
    const saveAgain = (): void => void keeper.saveNow()
    window.addEventListener('online', saveAgain)
    return () => window.removeEventListener('online', saveAgain)
  }, [keeper])
  const queries = useQueryClient()
  useEffect(
    () => () => {
      // Whoever leaves within a second of typing has it saved all the same, and who comes back begins with what is saved.
      void keeper.saveNow()
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[1] === 'getDraft' })
    },
    [keeper, queries],
  )
  return { keeper, state }
}

/** The draft that a refused save names as newer. */
function newerOf(error: unknown): Draft | null {
  if (!(error instanceof Refusal) || error.details['reason'] !== 'version') return null
  // What this refusal carries is a draft (src/core/campaigns/drafts/save-draft.ts).
  return error.details['draft'] as Draft
}

/** A browser that keeps nothing (private windows, full storage) saves by the service alone. */
function storeOf(name: string): { read: () => Unsaved | null; write: (unsaved: Unsaved | null) => void } {
  return {
    read() {
      try {
        const text = window.localStorage.getItem(name)
        // We wrote it, for this version of the pages or one before.
        return text === null ? null : (JSON.parse(text) as Unsaved)
      } catch {
        return null
      }
    },
    write(unsaved) {
      try {
        if (unsaved === null) window.localStorage.removeItem(name)
        else window.localStorage.setItem(name, JSON.stringify(unsaved))
      } catch {
        // There is no room: it is saved by the service within the second.
      }
    },
  }
}
