/** Thrown when the caller has closed the connection: nobody waits for an answer, and nothing of ours has failed. */
export class CallerLeft extends Error {
  constructor() {
    super('The caller left before its body was whole')
    this.name = 'CallerLeft'
  }
}
