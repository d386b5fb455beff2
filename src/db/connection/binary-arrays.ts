/**
 * Arrays as PostgreSQL's own binary parameters (`array_recv`): neither side writes a value as text,
 * escapes it and parses it. Only the admission of messages needs it; elsewhere lists go as they
 * are.
 */

/**
 * Octets before the elements: dimensions, null flag, element type, number of elements, first index.
 */
const headBytes = 20

const uuidBytes = 16

/** The object identifiers of the elements' types (PostgreSQL: `pg_type.dat`); they never change. */
const oids = { bool: 16, int2: 21, int4: 23, text: 25, json: 114, uuid: 2950, jsonb: 3802 }

export const textArray = (values: (string | null)[]): Buffer => ofTexts(oids.text, values, 0)
/** Each value is JSON already. */
export const jsons = (values: string[]): Buffer => ofTexts(oids.json, values, 0)
/** Each value is JSON already. One octet before it is the version of the format. */
export const jsonbs = (values: (string | null)[]): Buffer => ofTexts(oids.jsonb, values, 1)

/**
 * Throws for a text that is no UUID: bytes that are not written would be whatever the memory held.
 */
export const uuids = (values: (string | null)[]): Buffer =>
  ofFixed(oids.uuid, uuidBytes, values, (buffer, value, place) => {
    const written = buffer.write(value.replaceAll('-', ''), place, uuidBytes, 'hex')
    if (written !== uuidBytes) throw new Error(`No UUID: ${value}`)
  })
export const booleans = (values: boolean[]): Buffer =>
  ofFixed(oids.bool, 1, values, (buffer, value, place) => buffer.writeUInt8(value ? 1 : 0, place))
export const smallints = (values: number[]): Buffer =>
  ofFixed(oids.int2, 2, values, (buffer, value, place) => buffer.writeInt16BE(value, place))
export const integers = (values: (number | null)[]): Buffer =>
  ofFixed(oids.int4, 4, values, (buffer, value, place) => buffer.writeInt32BE(value, place))

function ofFixed<Value>(
  oid: number,
  size: number,
  values: (Value | null)[],
  write: (buffer: Buffer, value: Value, place: number) => unknown,
): Buffer {
  const buffer = begin(oid, values.length, values.length * (4 + size))
  let place = headBytes
  for (const value of values) {
    place = buffer.writeInt32BE(value === null ? nullLength : size, place)
    if (value === null) continue
    write(buffer, value, place)
    place += size
  }
  return buffer.subarray(0, place)
}

function ofTexts(oid: number, values: (string | null)[], version: number): Buffer {
  const max = values.reduce((sum, value) => sum + 5 + 3 * (value?.length ?? 0), 0)
  const buffer = begin(oid, values.length, max)
  let place = headBytes
  for (const value of values) {
    if (value === null) {
      place = buffer.writeInt32BE(nullLength, place)
      continue
    }
    const start = version === 0 ? place + 4 : buffer.writeUInt8(version, place + 4)
    const end = start + buffer.write(value, start)
    buffer.writeInt32BE(end - place - 4, place)
    place = end
  }
  return buffer.subarray(0, place)
}

const nullLength = -1

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
