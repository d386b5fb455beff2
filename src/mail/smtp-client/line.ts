/**
 * The queue of envelopes that wait for a connection: those of a waiting request before those of a
 * campaign, each kind in order.
 */
import type { Transaction } from './transaction.ts'

export class SmtpLine {
  readonly #first: Transaction[] = []
  readonly #bulk: Transaction[] = []

  get length(): number {
    return this.#first.length + this.#bulk.length
  }

  add(transaction: Transaction): void {
    this.#of(transaction).push(transaction)
  }

  /** Back to the front of its kind. */
  putBack(transaction: Transaction): void {
    this.#of(transaction).unshift(transaction)
  }

  next(): Transaction | undefined {
    return this.#first.shift() ?? this.#bulk.shift()
  }

  /** Takes those out that came at `before` or earlier. */
  takeOlder(before: number): Transaction[] {
    return [this.#first, this.#bulk].flatMap((waiting) => {
      const young = waiting.findIndex(({ since }) => since > before)
      return waiting.splice(0, young === -1 ? waiting.length : young)
    })
  }

  #of({ envelope }: Transaction): Transaction[] {
    return envelope.bulk ? this.#bulk : this.#first
  }
}
