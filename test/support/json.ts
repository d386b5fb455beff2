/** Access to JSON whose shape the test is about. */

/** The value behind the steps, references followed; undefined when there is none. */
export function at(root: unknown, ...steps: string[]): unknown {
  return steps.reduce<unknown>(
    (value, step) => follow(root, isObject(value) ? value[step] : undefined),
    root,
  )
}

/** The names (or indices) behind the steps; none when there is no object. */
export function keysAt(root: unknown, ...steps: string[]): string[] {
  const value = at(root, ...steps)
  return isObject(value) ? Object.keys(value) : []
}

/** Every text in the value with the name it stands under. */
export function* textsWithin(value: unknown, name = ''): Generator<[name: string, text: string]> {
  if (typeof value === 'string') yield [name, value]
  if (isObject(value))
    for (const [key, inner] of Object.entries(value)) yield* textsWithin(inner, key)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Resolves a `$ref` of an OpenAPI description; any other value stays itself. */
function follow(root: unknown, value: unknown): unknown {
  if (!isObject(value) || typeof value['$ref'] !== 'string') return value
  return at(root, ...value['$ref'].replace('#/', '').split('/'))
}
