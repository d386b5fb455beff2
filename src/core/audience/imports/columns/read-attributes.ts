/**
 * Reads a value of attributes, as listmonk writes it: a JSON object, each key of which becomes a
 * field.
 */

/**
 * Values as texts by key of a field; empty ones are left out. A text is the reason why the value is
 * refused.
 */
export function readAttributes(
  json: string,
): Record<string, string> | 'attributes.malformed' | 'attributes.key' {
  if (json === '') return {}
  const object = parse(json)
  if (object === null) return 'attributes.malformed'
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(object)) {
    const text = textOf(value)
    if (text === '') continue
    const key = keyOf(name)
    if (key === '') return 'attributes.key'
    fields[key] = text
  }
  return fields
}

function parse(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && !Array.isArray(value) ? (value ?? {}) : null
  } catch {
    return null
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value.trim() : JSON.stringify(value)
}

/** "Ville d'été" is `ville_d_ete`; empty when no letter is left. */
const keyOf = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .replace(/_$/, '')
    .slice(0, 60)
