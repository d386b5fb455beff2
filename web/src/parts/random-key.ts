/** Makes an idempotency key: browsers make no UUID on a page without TLS. */
export const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
