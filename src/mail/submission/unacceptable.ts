/** A mail that cannot be sent as it is: which kind of reply it gets, and why. */
export class Unacceptable extends Error {
  readonly kind: 'malformed' | 'too_large' | 'not_supported'

  /** `why` completes the sentence that begins with "The mail was not taken:". */
  constructor(kind: Unacceptable['kind'], why: string) {
    super(why)
    this.name = 'Unacceptable'
    this.kind = kind
  }
}
