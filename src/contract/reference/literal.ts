/** Writes JSON as idiomatic TypeScript: single quotes, bare names, on one line if it is short. */
import type { Json } from '../json-schema.ts'

const lineMax = 100

export function literal(value: Json, indent = ''): string {
  const line = written(value, null)
  return line.length + indent.length <= lineMax ? line : written(value, indent)
}

/** On one line if `indent` is null, else on several. */
function written(value: Json, indent: string | null): string {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = indent === null ? '' : `${indent}  `
  const show = (part: Json): string =>
    indent === null ? written(part, null) : literal(part, inner)
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map(show)]
    : ['{', '}', Object.entries(value).map(([name, part]) => `${key(name)}: ${show(part)}`)]
  if (parts.length === 0) return open + close
  if (indent === null) return open === '[' ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : text(name))

/** Uses double quotes when they avoid a backslash. */
function text(value: string): string {
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'"
  const inner = JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll(quote, `\\${quote}`)
  return quote + inner + quote
}
