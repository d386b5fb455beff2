/** Holds a call back until the user has signed in again; the dialog listens here. */

type Answer = (shown: boolean) => void

let waiting: Answer[] = []
const listeners = new Set<() => void>()

/** Resolves with true when the user has signed in again, with false when the user declines. */
export const askWhoItIs = (): Promise<boolean> =>
  new Promise((resolve) => {
    waiting = [...waiting, resolve]
    notifyListeners()
  })

/** The dialog answers all waiting calls at once. */
export function answerWhoItIs(shown: boolean): void {
  const held = waiting
  waiting = []
  notifyListeners()
  for (const answer of held) answer(shown)
}

export const isAsked = (): boolean => waiting.length > 0

/** For useSyncExternalStore. */
export function onAsked(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function notifyListeners(): void {
  for (const listener of listeners) listener()
}
