/** A set of addresses by eight bytes of their SHA-256: a million take 8 MB. */
import { hash } from 'node:crypto'

export class AddressDigests {
  #digests = new BigUint64Array(0)
  #count = 0

  add(digest: bigint): void {
    if (this.#count === this.#digests.length) {
      const longer = new BigUint64Array(Math.max(64, 2 * this.#count))
      longer.set(this.#digests)
      this.#digests = longer
    }
    this.#digests[this.#count++] = digest
  }

  /** Tells whether an address was added to any of these. */
  static finder(all: readonly AddressDigests[]): (email: string) => boolean {
    const sorted = new BigUint64Array(all.reduce((sum, digests) => sum + digests.#count, 0))
    let at = 0
    for (const digests of all) {
      sorted.set(digests.#digests.subarray(0, digests.#count), at)
      at += digests.#count
    }
    sorted.sort()
    return sorted.length === 0 ? () => false : (email) => isIn(sorted, digestOf(email))
  }
}

export const digestOf = (email: string): bigint => hash('sha256', email, 'buffer').readBigUInt64LE()

function isIn(sorted: BigUint64Array, digest: bigint): boolean {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((sorted[middle] ?? 0n) < digest) from = middle + 1
    else to = middle
  }
  return sorted[from] === digest
}
