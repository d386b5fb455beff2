/** Numbers that forms of people say before the service does; it judges them all the same. */
export const userLimits = { passwordMin: 12 } as const
