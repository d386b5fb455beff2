/** Work that a user started: whether it goes on, and what it threw the last time. */
import { useState } from 'react'

interface WorkState {
  /** Null: nothing was refused. */
  error: unknown
  isBusy: boolean
}

export function useWork(): WorkState & { start: (work: () => Promise<unknown>) => void } {
  const [state, set] = useState<WorkState>({ error: null, isBusy: false })
  const start = async (work: () => Promise<unknown>): Promise<void> => {
    set({ error: null, isBusy: true })
    const error = await work().then(
      () => null,
      (refusal: unknown) => refusal,
    )
    set({ error, isBusy: false })
  }
  return { ...state, start: (work) => void start(work) }
}
