/** Reads JSON without trusting its shape. */

/** The value of a text; null when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Null for a value that is no text, or an empty one. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** An object's fields; none for any other value. */
export const jsonFields = (value: unknown): Record<string, unknown> =>
  isRecord(value) ? value : {}

export const jsonList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
