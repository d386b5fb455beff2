/** Defines how long a confirmation mail delays another one. */

/** The minimum interval between confirmation mails to a pending subscriber. */
export const confirmAgainAfterSeconds = 3600
