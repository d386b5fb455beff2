/**
 * Thrown when the caller has closed the connection: no answer is needed, and nothing of ours has
 * failed.
 */
export class CallerLeft extends Error {
  constructor() {
    super('The caller left before its body was whole')
    this.name = 'CallerLeft'
  }
}
