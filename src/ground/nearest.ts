/** Finds the known word that a mistyped one was probably meant to be. */

/** Null when none is near: a wrong guess is worse than none. */
export function nearest(word: string, known: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(word.length / 3))
  const ranked = known.map((candidate) => ({
    candidate,
    distance: distanceBetween(word.toLowerCase(), candidate),
  }))
  const [best] = ranked.toSorted((a, b) => a.distance - b.distance)
  if (best && best.distance <= limit) return best.candidate
  return word.length >= 3
    ? (known.find((candidate) => candidate.startsWith(word.toLowerCase())) ?? null)
    : null
}

/** `: did you mean …?` with the nearest word, or a full stop. */
export function didYouMean(
  word: string,
  known: readonly string[],
  spell: (word: string) => string = (same) => same,
): string {
  const meant = nearest(word, known)
  return meant === null ? '.' : `: did you mean ${spell(meant)}?`
}

/** Letters to insert, remove, replace or swap with a neighbour (optimal string alignment). */
export function distanceBetween(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(
        (row[j - 1] ?? 0) + 1,
        (last[j] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1)
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
