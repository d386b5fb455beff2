/** The browser stores what the user typed and has not saved yet, until that user signs out. */
import type { Unsaved } from './draft-saver.ts'

const prefix = 'facteur-draft-'

/** A browser that keeps nothing (private windows, full storage) saves by the service alone. */
export function unsavedStore(draft: string): { read: () => Unsaved | null; write: (unsaved: Unsaved | null) => void } {
  const name = `${prefix}${draft}`
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

/** Deletes the unsaved text of all drafts, because the next user of this browser may be another one. */
export function deleteUnsaved(): void {
  try {
    for (const name of Object.keys(window.localStorage)) if (name.startsWith(prefix)) window.localStorage.removeItem(name)
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}
