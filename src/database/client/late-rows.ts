/**
 * How late a row becomes visible after the time from which it may be claimed: its transaction
 * commits by then. In seconds.
 */
export const lateSeconds = 2
