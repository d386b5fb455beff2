/**
 * Values of rows as binary parameters: neither side writes them as text, escapes and parses them. A
 * column becomes an array in PostgreSQL's own form (`array_recv`); long values are packed into one
 * parameter, of which the server slices bytes at no cost. Only hot statements need it; elsewhere
 * lists go as they are.
 */

/** Rows with such a value at the key. */
type Rows<Key extends string, Value> = readonly Readonly<Record<Key, Value>>[]

/**
 * Bytes before the elements: dimensions, null flag, element type, number of elements, first index.
 */
const headBytes = 20

const nullLength = -1

/** The object identifiers of the elements' types (PostgreSQL: `pg_type.dat`); they never change. */
const oids = { bool: 16, int2: 21, int4: 23, text: 25, json: 114, uuid: 2950, jsonb: 3802 }

export const textArray = <Key extends string>(rows: Rows<Key, string | null>, key: Key): Buffer =>
  ofTexts(oids.text, rows, key)
/** Each value is JSON already. */
export const jsons = <Key extends string>(rows: Rows<Key, string>, key: Key): Buffer =>
  ofTexts(oids.json, rows, key)
/** Each value is JSON already. One octet before it is the version of the format. */
export const jsonbs = <Key extends string>(rows: Rows<Key, string | null>, key: Key): Buffer =>
  ofTexts(oids.jsonb, rows, key, 1)

/**
 * Throws for a text that is no UUID: bytes that are not written would be whatever the memory held.
 */
export const uuids = <Key extends string>(rows: Rows<Key, string | null>, key: Key): Buffer =>
  ofFixed(oids.uuid, 16, rows, key)
export const booleans = <Key extends string>(rows: Rows<Key, boolean>, key: Key): Buffer =>
  ofFixed(oids.bool, 1, rows, key)
export const smallints = <Key extends string>(rows: Rows<Key, number>, key: Key): Buffer =>
  ofFixed(oids.int2, 2, rows, key)
export const integers = <Key extends string>(rows: Rows<Key, number | null>, key: Key): Buffer =>
  ofFixed(oids.int4, 4, rows, key)

function ofFixed<Key extends string>(
  oid: number,
  size: number,
  rows: Rows<Key, string | number | boolean | null>,
  key: Key,
): Buffer {
  const buffer = begin(oid, rows.length, rows.length * (4 + size))
  let index = headBytes
  for (const row of rows) {
    const value = row[key]
    index = buffer.writeInt32BE(value === null ? nullLength : size, index)
    if (value === null) continue
    if (typeof value === 'number') buffer.writeIntBE(value, index, size)
    else if (typeof value === 'boolean') buffer[index] = value ? 1 : 0
    else if (buffer.write(value.replaceAll('-', ''), index, size, 'hex') !== size)
      throw new Error(`No UUID: ${value}`)
    index += size
  }
  return buffer.subarray(0, index)
}

function ofTexts<Key extends string>(
  oid: number,
  rows: Rows<Key, string | null>,
  key: Key,
  version?: number,
): Buffer {
  let max = 0
  for (const row of rows) max += 5 + 3 * (row[key]?.length ?? 0)
  const buffer = begin(oid, rows.length, max)
  let index = headBytes
  for (const row of rows) {
    const value = row[key]
    if (value === null) {
      index = buffer.writeInt32BE(nullLength, index)
      continue
    }
    const start = version === undefined ? index + 4 : buffer.writeUInt8(version, index + 4)
    const end = start + buffer.write(value, start)
    buffer.writeInt32BE(end - index - 4, index)
    index = end
  }
  return buffer.subarray(0, index)
}

function begin(oid: number, count: number, elementBytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(headBytes + elementBytes)
  buffer.writeInt32BE(1, 0)
  // The server checks itself whether any is null.
  buffer.writeInt32BE(1, 4)
  buffer.writeInt32BE(oid, 8)
  buffer.writeInt32BE(count, 12)
  buffer.writeInt32BE(1, 16)
  return buffer
}

/** All values one after the other, with the place of each. */
interface Packed {
  bytes: Buffer
  /** `start` is 1 for the first byte, as SQL's `substring` counts; `length` null for null. */
  places: { start: number; length: number | null }[]
}

/** In SQL: `substring(bytes from start for length)`, null where the length is. */
export function packBytes(values: readonly (Buffer | null)[]): Packed {
  const pieces: Buffer[] = []
  const lengths: (number | null)[] = []
  for (const value of values) {
    lengths.push(value?.length ?? null)
    if (value !== null) pieces.push(value)
  }
  const [only] = pieces
  // A single value may be large, and needs no copy.
  const bytes = only && pieces.length === 1 ? only : Buffer.concat(pieces)
  return { bytes, places: placesOf(lengths) }
}

/** In SQL: `convert_from(substring(bytes from start for length), 'UTF8')`. */
export function packTexts<Key extends string>(rows: Rows<Key, string | null>, key: Key): Packed {
  const lengths: (number | null)[] = []
  let total = 0
  for (const row of rows) {
    const text = row[key]
    const length = text === null ? null : Buffer.byteLength(text)
    lengths.push(length)
    total += length ?? 0
  }
  const bytes = Buffer.allocUnsafe(total)
  let end = 0
  for (const row of rows) end += bytes.write(row[key] ?? '', end)
  return { bytes, places: placesOf(lengths) }
}

function placesOf(lengths: readonly (number | null)[]): Packed['places'] {
  const places: Packed['places'] = []
  let start = 1
  for (const length of lengths) {
    places.push({ start, length })
    start += length ?? 0
  }
  return places
}
