/**
 * Thrown when the caller has closed the connection: no answer is needed, and nothing of ours has
 * failed.
 */
export class CallerLeft extends Error {
  constructor() {
    super('The caller left before it was answered')
    this.name = 'CallerLeft'
  }
}
