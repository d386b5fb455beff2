/** Identifiers that one statement chose, and that are read in pages afterwards. */

/** Identifiers in 16 bytes each: those of a million contacts are 16 MB. */
export interface SelectedIds {
  count: number
  /** From the place `begin` on, up to `end`. */
  between(begin: number, end: number): string[]
}

const idBytes = 16

/** Of `string_agg(uuid_send(…), ''::bytea …)`, which is null where there are none. */
export function unpackIds(bytes: Buffer | null): SelectedIds {
  const count = (bytes?.length ?? 0) / idBytes
  const idAt = (index: number): string =>
    bytes?.toString('hex', index * idBytes, (index + 1) * idBytes) ?? ''
  return {
    count,
    between: (begin, end) =>
      Array.from({ length: Math.min(end, count) - begin }, (_, index) => idAt(begin + index)),
  }
}
