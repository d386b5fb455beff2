/** The browser stores what the user typed and has not saved yet, until that user signs out. */
import type { Unsaved } from './draft-saver.ts'

const prefix = 'facteur-draft-'

/** A browser without storage (private windows, full storage) leaves saving to the service alone. */
export function unsavedStore(draft: string): {
  read: () => Unsaved | null
  write: (unsaved: Unsaved | null) => void
} {
  const name = `${prefix}${draft}`
  return {
    read() {
      try {
        const text = window.localStorage.getItem(name)
        // This version of the pages or a previous one wrote it.
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
        // The storage is full: the service saves the text within the second.
      }
    },
  }
}

/**
 * Deletes the unsaved text of all drafts, because the next user of this browser may be another one.
 */
export function deleteUnsaved(): void {
  try {
    for (const name of Object.keys(window.localStorage))
      if (name.startsWith(prefix)) window.localStorage.removeItem(name)
  } catch {
    // A browser without storage has nothing to delete.
  }
}
