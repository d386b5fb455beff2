/**
 * Joins bytes that arrive in pieces of any size. Each piece is copied on arrival: one that is kept
 * costs some hundred bytes beside its own, and a sender may cut a body into pieces of one byte.
 */
export class JoinedBytes {
  #bytes: Buffer
  #length = 0

  /** `expected`: bytes for which memory is taken at once. */
  constructor(expected = 0) {
    this.#bytes = Buffer.allocUnsafe(expected)
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length
    if (this.#length === 0 && length > this.#bytes.length) {
      this.#bytes = piece
    } else {
      if (length > this.#bytes.length) this.#enlarge(length)
      piece.copy(this.#bytes, this.#length)
    }
    this.#length = length
  }

  all(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #enlarge(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
