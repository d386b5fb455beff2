/** Shares of the hand-offs of thirty days above which sending is suspended (spec: Five rules, 4). */
export const bounceRateMax = 0.05
export const complaintRateMax = 0.001
