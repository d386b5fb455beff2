/** Replies to a client of the inbound port instead of 250, as errors that the SMTP server understands. */

/** `text` begins with its enhanced status code (RFC 2034 4). */
export const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })
