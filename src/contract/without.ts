/**
 * Writes the rule of a schema that none of these keys has a value: an operation names the hint of
 * each.
 */
export const without = (keys: object) => ({
  properties: Object.fromEntries(Object.keys(keys).map((name) => [name, { type: 'null' }])),
})
