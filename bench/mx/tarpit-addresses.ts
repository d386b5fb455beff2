/**
 * Where the tarpits of the bench are: some say nothing after the connection, the others nothing
 * after RCPT.
 */
export const tarpitAddresses = { mute: '127.0.0.2', stuck: '127.0.0.3' }
