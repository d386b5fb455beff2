/**
 * A text as a QR code (ISO/IEC 18004): octets, the lowest level of correction, the smallest version that holds them.
 *
 * 1. mode, length and octets, filled up to what the version holds
 * 2. correction by Reed and Solomon for each block, blocks interleaved
 * 3. the fixed patterns, then the bits in columns of two from the right
 * 4. the mask that leaves the fewest traps for readers
 */

/** Codewords of correction in each block, and blocks, of versions 1 to 20 at level L (table 9). */
const correction = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28]
const blocks = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8]

/** Rows of modules, true where dark. Throws for a text that is too long. */
export function drawQrCode(text: string): boolean[][] {
  const octets = new TextEncoder().encode(text)
  const version = blocks.findIndex((_, index) => bitsNeeded(octets, index + 1) <= dataCodewords(index + 1) * 8) + 1
  if (version === 0) throw new Error('The text is too long for a picture')
  const grid = new Grid(version)
  grid.drawFixed()
  grid.drawBits(interleave(codewordsOf(octets, version), version))
  return grid.bestMasked()
}

const sizeOf = (version: number): number => version * 4 + 17
const lengthBits = (version: number): number => (version < 10 ? 8 : 16)
const bitsNeeded = (octets: Uint8Array, version: number): number => 4 + lengthBits(version) + octets.length * 8

function rawCodewords(version: number): number {
  const aligned = version === 1 ? 0 : Math.floor(version / 7) + 2
  const alignment = aligned === 0 ? 0 : (25 * aligned - 10) * aligned - 55
  return Math.floor(((16 * version + 128) * version + 64 - alignment - (version >= 7 ? 36 : 0)) / 8)
}

const at = (list: ArrayLike<number>, index: number): number => list[index] ?? 0
const dataCodewords = (version: number): number => rawCodewords(version) - at(correction, version - 1) * at(blocks, version - 1)

function codewordsOf(octets: Uint8Array, version: number): number[] {
  const bits: number[] = []
  const push = (value: number, length: number): void => {
    for (let place = length - 1; place >= 0; place--) bits.push((value >> place) & 1)
  }
  push(0b0100, 4)
  push(octets.length, lengthBits(version))
  for (const octet of octets) push(octet, 8)
  const room = dataCodewords(version) * 8
  push(0, Math.min(4, room - bits.length))
  push(0, (8 - (bits.length % 8)) % 8)
  for (let filler = 0xec; bits.length < room; filler ^= 0xec ^ 0x11) push(filler, 8)
  return Array.from({ length: bits.length / 8 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((value, bit) => (value << 1) | bit, 0),
  )
}

/** In GF(2^8) by x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(a: number, b: number): number {
  let product = 0
  for (let place = 7; place >= 0; place--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    product ^= ((b >> place) & 1) * a
  }
  return product
}

function generator(degree: number): number[] {
  const result = Array.from({ length: degree }, (_, index) => Number(index === degree - 1))
  let root = 1
  for (let round = 0; round < degree; round++) {
    for (let index = 0; index < degree; index++) result[index] = multiply(at(result, index), root) ^ at(result, index + 1)
    root = multiply(root, 2)
  }
  return result
}

function remainder(data: number[], divisor: number[]): number[] {
  const result = divisor.map(() => 0)
  for (const codeword of data) {
    const factor = codeword ^ (result.shift() ?? 0)
    result.push(0)
    divisor.forEach((coefficient, index) => (result[index] = at(result, index) ^ multiply(coefficient, factor)))
  }
  return result
}

function interleave(data: number[], version: number): number[] {
  const count = at(blocks, version - 1)
  const divisor = generator(at(correction, version - 1))
  const short = Math.floor(data.length / count)
  const longOnes = data.length % count
  let from = 0
  const parts = Array.from({ length: count }, (_, index) => {
    const part = data.slice(from, (from += short + (index >= count - longOnes ? 1 : 0)))
    return { part, check: remainder(part, divisor) }
  })
  const mixed: number[] = []
  for (let index = 0; index <= short; index++) for (const { part } of parts) if (index < part.length) mixed.push(at(part, index))
  for (let index = 0; index < divisor.length; index++) for (const { check } of parts) mixed.push(at(check, index))
  return mixed
}

const masks: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

class Grid {
  readonly #version: number
  readonly #size: number
  readonly #dark: boolean[][]
  readonly #fixed: boolean[][]

  constructor(version: number) {
    this.#version = version
    this.#size = sizeOf(version)
    this.#dark = Array.from({ length: this.#size }, () => Array.from({ length: this.#size }, () => false))
    this.#fixed = this.#dark.map((row) => [...row])
  }

  drawFixed(): void {
    const size = this.#size
    for (let place = 0; place < size; place++) {
      this.#set(6, place, place % 2 === 0)
      this.#set(place, 6, place % 2 === 0)
    }
    for (const [x, y] of [
      [3, 3],
      [size - 4, 3],
      [3, size - 4],
    ] as const) {
      this.#square(x, y, 4, (far) => far !== 2 && far !== 4)
    }
    const places = this.#alignmentPlaces()
    const last = places.length - 1
    places.forEach((x, column) =>
      places.forEach((y, row) => {
        const isFinder = (column === 0 && row === 0) || (column === 0 && row === last) || (column === last && row === 0)
        if (!isFinder) this.#square(x, y, 2, (far) => far !== 1)
      }),
    )
    this.#drawFormat(0)
    this.#drawVersion()
  }

  /** In columns of two from the right, up and down by turns, past what is fixed. */
  drawBits(codewords: number[]): void {
    let place = 0
    let isUp = true
    for (let right = this.#size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5
      for (let step = 0; step < this.#size; step++) {
        const y = isUp ? this.#size - 1 - step : step
        for (const x of [right, right - 1]) {
          if (this.#fixed[y]?.[x]) continue
          const bit = (at(codewords, place >> 3) >> (7 - (place & 7))) & 1
          if (place < codewords.length * 8) this.#put(x, y, bit === 1)
          place++
        }
      }
      isUp = !isUp
    }
  }

  bestMasked(): boolean[][] {
    const drawn = masks.map((mask, index) => {
      this.#drawFormat(index)
      return this.#dark.map((row, y) => row.map((dark, x) => dark !== (!this.#fixed[y]?.[x] && mask(x, y))))
    })
    return drawn.reduce((best, next) => (penalty(next) < penalty(best) ? next : best))
  }

  #put(x: number, y: number, dark: boolean): void {
    const row = this.#dark[y]
    if (row) row[x] = dark
  }

  #set(x: number, y: number, dark: boolean): void {
    this.#put(x, y, dark)
    const row = this.#fixed[y]
    if (row) row[x] = true
  }

  #square(centreX: number, centreY: number, reach: number, isDark: (far: number) => boolean): void {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const [x, y] = [centreX + dx, centreY + dy]
        if (x < 0 || y < 0 || x >= this.#size || y >= this.#size) continue
        this.#set(x, y, isDark(Math.max(Math.abs(dx), Math.abs(dy))))
      }
    }
  }

  #alignmentPlaces(): number[] {
    if (this.#version === 1) return []
    const count = Math.floor(this.#version / 7) + 2
    const step = Math.floor((this.#version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
    return [6, ...Array.from({ length: count - 1 }, (_, index) => this.#size - 7 - step * (count - 2 - index))]
  }

  /** Level L and the mask, twice, with their own check (7.9). */
  #drawFormat(mask: number): void {
    const data = (1 << 3) | mask
    let check = data
    for (let round = 0; round < 10; round++) check = (check << 1) ^ ((check >> 9) * 0x537)
    const bits = ((data << 10) | check) ^ 0x5412
    const bit = (place: number): boolean => ((bits >> place) & 1) === 1
    for (let place = 0; place <= 5; place++) this.#set(8, place, bit(place))
    this.#set(8, 7, bit(6))
    this.#set(8, 8, bit(7))
    this.#set(7, 8, bit(8))
    for (let place = 9; place < 15; place++) this.#set(14 - place, 8, bit(place))
    for (let place = 0; place < 8; place++) this.#set(this.#size - 1 - place, 8, bit(place))
    for (let place = 8; place < 15; place++) this.#set(8, this.#size - 15 + place, bit(place))
    this.#set(8, this.#size - 8, true)
  }

  /** From version 7 on (7.10). */
  #drawVersion(): void {
    if (this.#version < 7) return
    let check = this.#version
    for (let round = 0; round < 12; round++) check = (check << 1) ^ ((check >> 11) * 0x1f25)
    const bits = (this.#version << 12) | check
    for (let place = 0; place < 18; place++) {
      const dark = ((bits >> place) & 1) === 1
      const [a, b] = [this.#size - 11 + (place % 3), Math.floor(place / 3)]
      this.#set(a, b, dark)
      this.#set(b, a, dark)
    }
  }
}

/** 7.8.3: runs, blocks of four, what looks like a finder, and an uneven share of dark. */
function penalty(rows: boolean[][]): number {
  const columns = rows.map((_, x) => rows.map((row) => row[x] === true))
  const lines = [...rows, ...columns].map((line) => line.map((dark) => (dark ? '1' : '0')).join(''))
  let sum = 0
  for (const line of lines) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2
    for (let place = 0; place + 11 <= line.length; place++) {
      const part = line.slice(place, place + 11)
      if (part === '10111010000' || part === '00001011101') sum += 40
    }
  }
  rows.forEach((row, y) =>
    row.forEach((dark, x) => {
      const isBlock = x > 0 && y > 0 && [row[x - 1], rows[y - 1]?.[x], rows[y - 1]?.[x - 1]].every((other) => other === dark)
      if (isBlock) sum += 3
    }),
  )
  const share = rows.flat().filter(Boolean).length / rows.length ** 2
  return sum + Math.floor(Math.abs(share * 20 - 10)) * 10
}
