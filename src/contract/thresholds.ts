/**
 * Shares of the hand-offs of thirty days above which sending is suspended (spec: Five rules, 4).
 */
export const bounceRateMax = 0.05
export const complaintRateMax = 0.001

/**
 * Share of a day's mails that Gmail's users reported as spam, as Google publishes it for a domain.
 * A day above it suspends sending until the day is `gmailDaysCounted` days old. Gmail asks for the
 * same bound, and looks back as many days.
 */
export const gmailSpamRateMax = 0.001
export const gmailDaysCounted = 7
