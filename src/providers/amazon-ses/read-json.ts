/** Reads what AWS wrote as JSON, without trusting its shape. */

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Null for what is no text, or an empty one. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** An object's fields; none for anything else. */
export const jsonFields = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

export const jsonList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
