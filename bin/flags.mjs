// The flags of V8 with which the programs run.

/**
 * The service has a large nursery: what one request makes is garbage before it would be moved, and collecting costs half. What is
 * moved all the same may grow to four times what lives before all of it is looked through: else that happens each second under load.
 */
export const serviceFlags = ['--max-semi-space-size=32', '--heap-growing-percent=300']

/**
 * A command grows its heap with what it holds and not with what it has thrown away: an import of a million people takes hardly
 * more memory than one of ten thousand.
 */
export const commandFlags = ['--max-semi-space-size=8', '--heap-growing-percent=20']
