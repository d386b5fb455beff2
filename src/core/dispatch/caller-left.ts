/** Thrown where a caller is waited for who has gone: nobody is left to be answered, and nothing of ours has failed. */
export class CallerLeft extends Error {
  constructor() {
    super('The caller left before its body was whole')
    this.name = 'CallerLeft'
  }
}
