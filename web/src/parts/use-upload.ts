/** A file on its way from here: how much of it has left, and the way to break it off. */
import { useState } from 'react'
import type { Watch } from '../api/send-file.ts'

export interface Upload {
  /** What is given to the call that sends the file. */
  begin: (file: Blob) => Watch
  /** Bytes. */
  sent: number
  total: number
  cancel: () => void
}

export function useUpload(): Upload {
  const [{ abort, ...far }, set] = useState({ sent: 0, total: 0, abort: new AbortController() })
  return {
    ...far,
    begin(file) {
      const begun = { total: file.size, abort: new AbortController() }
      set({ ...begun, sent: 0 })
      return { signal: begun.abort.signal, onSent: (sent) => set({ ...begun, sent }) }
    },
    cancel: () => abort.abort(),
  }
}
