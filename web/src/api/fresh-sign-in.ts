/** Holds a call back until the user has signed in again; the dialog listens here. */

type Answer = (shown: boolean) => void

/** `fresh`: the session is too old for the act. `signed_out`: it has ended. */
export type SignInCause = 'fresh' | 'signed_out'

let waiting: { cause: SignInCause; answer: Answer }[] = []
const listeners = new Set<() => void>()

/**
 * Resolves with true when the user has signed in again, with false when the user declines, or where
 * no dialog can ask.
 */
export const askWhoItIs = (cause: SignInCause): Promise<boolean> =>
  new Promise((resolve) => {
    if (listeners.size === 0) return resolve(false)
    waiting = [...waiting, { cause, answer: resolve }]
    notifyListeners()
  })

/** The dialog answers all waiting calls at once. */
export function answerWhoItIs(shown: boolean): void {
  const callers = waiting
  waiting = []
  notifyListeners()
  for (const { answer } of callers) answer(shown)
}

/**
 * Null means no call waits. A session that has ended comes first: without one, no act is confirmed.
 */
export function askedCause(): SignInCause | null {
  if (waiting.length === 0) return null
  return waiting.some(({ cause }) => cause === 'signed_out') ? 'signed_out' : 'fresh'
}

/** For useSyncExternalStore. */
export function onAsked(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function notifyListeners(): void {
  for (const listener of listeners) listener()
}
