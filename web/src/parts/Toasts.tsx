/** Short messages with a place of their own in the layout: no toast ever lies above a button. */
import { CloseButton } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { Icon } from './Icon.tsx'
import { toastStore, type Toast } from '../api/notify.ts'
import classes from './Toasts.module.css'

const doneMs = 5_000
const refusalMs = 10_000

export function Toasts() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.read)
  // The live region is there before its words are, or a screen reader misses them (ARIA 1.2,
  // aria-live).
  return (
    <div role="status" className={classes.toasts}>
      {toasts.map((toast) => (
        <Shown key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

/** Stays while it is pointed at (WCAG 2.2.1). */
function Shown({ toast: { id, message, isRefusal } }: { toast: Toast }) {
  const [isPaused, setIsPaused] = useState(false)
  useEffect(() => {
    if (isPaused) return undefined
    const timer = setTimeout(() => toastStore.remove(id), isRefusal ? refusalMs : doneMs)
    return () => clearTimeout(timer)
  }, [id, isPaused, isRefusal])
  return (
    <div
      className={classes.toast}
      data-toast
      data-refusal={isRefusal}
      onPointerEnter={() => setIsPaused(true)}
      onPointerLeave={() => setIsPaused(false)}
    >
      <Icon name={isRefusal ? 'warning' : 'check'} size={16} />
      <span className={classes.message}>{message}</span>
      <CloseButton size="sm" onClick={() => toastStore.remove(id)} />
    </div>
  )
}
