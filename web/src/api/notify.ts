/**
 * Reports for a few seconds that an act is done or refused; `Toasts` shows it where it covers
 * nothing.
 */
import { useTranslation } from 'react-i18next'
import { sayWhat } from './refusal-words.ts'

export interface Toast {
  id: number
  message: string
  isRefusal: boolean
}

/** More toasts would take the room of the menu. */
const shownMax = 3

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

const change = (next: readonly Toast[]): void => {
  toasts = next
  for (const listener of listeners) listener()
}

const show = (toast: Omit<Toast, 'id'>): void =>
  change([...toasts, { ...toast, id: ++lastId }].slice(-shownMax))

export const notifyDone = (message: string): void => show({ message, isRefusal: false })

export const notifyRefused = (message: string): void => show({ message, isRefusal: true })

/** For `useSyncExternalStore`. */
export const toastStore = {
  read: (): readonly Toast[] => toasts,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  remove: (id: number): void => change(toasts.filter((toast) => toast.id !== id)),
}

/** Reports a refusal where no form shows it. */
export function useNotifyRefused(): (error: unknown) => void {
  const { t } = useTranslation('shell')
  return (error) => notifyRefused(sayWhat(error, t))
}
