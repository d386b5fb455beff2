/**
 * The envelopes that wait for a connection of one destination: which goes next, and what answers
 * those that cannot.
 */
import { whyNotSendable, type Offers } from './commands.ts'
import type { SmtpOutcome } from './outcome.ts'
import type { Transaction } from './transaction.ts'

/** Those of a waiting request before those of a campaign, each kind in order. */
class SmtpLine {
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

export class WaitingEnvelopes {
  readonly #line = new SmtpLine()
  /** Envelopes that go again: only to an unused connection. */
  readonly #again = new SmtpLine()

  /** All of them. */
  get length(): number {
    return this.#line.length + this.#again.length
  }

  /** Those that any connection may take. */
  get lineLength(): number {
    return this.#line.length
  }

  add(transaction: Transaction): void {
    this.#line.add(transaction)
  }

  /** Back to the front of its kind. */
  putBack(transaction: Transaction): void {
    this.#line.putBack(transaction)
  }

  /** Its connection closed before any answer. */
  addAgain(transaction: Transaction): void {
    transaction.again = true
    this.#again.add(transaction)
  }

  /**
   * The next one that a connection with these offers may send, under a lease that allows MAIL.
   * Answers those before it.
   */
  nextFor({ transactions, offers }: { transactions: number; offers: Offers }): Transaction | null {
    for (;;) {
      const transaction = (transactions === 0 ? this.#again.next() : undefined) ?? this.#line.next()
      if (transaction === undefined) return null
      const reason = whyNotSendable(transaction.envelope, offers)
      if (reason !== null) {
        transaction.complete({
          kind: 'refused',
          reason: 'other',
          phase: 'mail',
          code: null,
          response: reason,
        })
      } else if (!transaction.lease.mayProceed()) {
        transaction.complete({
          kind: 'returned',
          why: 'too little was left of the lease before MAIL',
        })
      } else return transaction
    }
  }

  completeAll(outcome: SmtpOutcome): void {
    this.completeOlder(Infinity, outcome)
  }

  /** Answers those that came at `before` or earlier, on the monotonic clock. */
  completeOlder(before: number, outcome: SmtpOutcome): void {
    for (const transaction of [...this.#again.takeOlder(before), ...this.#line.takeOlder(before)])
      transaction.complete(outcome)
  }

  /** Answers those that wait for an unused connection. */
  completeAgain(outcome: SmtpOutcome): void {
    for (const transaction of this.#again.takeOlder(Infinity)) transaction.complete(outcome)
  }
}
