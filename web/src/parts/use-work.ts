/** The hook runs work that a user started, and holds whether it goes on and its last error. */
import { useState } from 'react'

interface WorkState {
  /** Null if the last work did not fail. */
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
