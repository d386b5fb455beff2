/** Holds a call back while the user shows again who they are; the dialog listens here. */

type Answer = (shown: boolean) => void

let waiting: Answer[] = []
const listeners = new Set<() => void>()

/** Resolves when the user has shown who they are (true) or does not want to. */
export const askWhoItIs = (): Promise<boolean> =>
  new Promise((resolve) => {
    waiting = [...waiting, resolve]
    notifyListeners()
  })

/** The dialog's answer, for all calls that wait. */
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
