/** Reads JSON of AWS without trusting its shape. */

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Null for a value that is no text, or an empty one. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** An object's fields; none for any other value. */
export const jsonFields = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

export const jsonList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
