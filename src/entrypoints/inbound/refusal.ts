/** What a client of the inbound port is answered instead of 250, in the way the server is told. */

/** `text` begins with its enhanced status code (RFC 2034 4). */
export const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })
