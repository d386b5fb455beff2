/** How long a confirmation mail keeps another one back. */

/** A person who has not confirmed is asked again at most this often. */
export const confirmAgainAfterSeconds = 3600
