/**
 * Checks whether an address contains a picture itself (RFC 2397), in a form that browsers accept.
 */
export function isDataPicture(address: string): boolean {
  const head = /^data:image\/[\w.+-]+(?:;[\w-]+(?:=[\w.-]*)?)*,/i.exec(
    address.slice(0, headMax),
  )?.[0]
  if (head === undefined) return false
  return !head.toLowerCase().endsWith(';base64,') || isBase64(address, head.length)
}

const headMax = 200

/** Forgiving of white space and of missing padding, and of nothing else (Infra 7). */
function isBase64(address: string, from: number): boolean {
  const text = address.slice(from).replaceAll(/[\t\n\f\r ]+/g, '')
  const body = text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text
  return body.length % 4 !== 1 && /^[A-Za-z0-9+/]*$/.test(body)
}
