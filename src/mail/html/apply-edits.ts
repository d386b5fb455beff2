/** Changes places of a text and leaves all else as written. */
export interface Edit {
  start: number
  end: number
  text: string
}

/** Edits may come in any order; their places do not overlap. */
export function applyEdits(text: string, edits: Edit[]): string {
  let at = 0
  let written = ''
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    written += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return written + text.slice(at)
}
