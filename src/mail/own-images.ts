/** Pictures that a mail brings itself, written where its html names them by `cid:` (RFC 2392). */

/** A file that may be one: the type is what its sender called it. */
export interface OwnImage {
  id: string | null
  type: string | null
  content: Uint8Array
}

/** Octets of pictures that are written into the html. */
const inlineMax = 8_000_000

export function withOwnImages(html: string, files: OwnImage[]): string {
  let left = inlineMax
  const images = new Map<string, string>()
  for (const { id, type, content } of files) {
    if (!id || !type || !/^image\/[a-z0-9.+-]+$/.test(type) || content.byteLength > left) continue
    left -= content.byteLength
    images.set(id.replaceAll(/^<|>$/g, ''), `data:${type};base64,${Buffer.from(content).toString('base64')}`)
  }
  return html.replaceAll(
    /(?<=["'(=])cid:([^"'()<>\s]{1,400})/gi,
    (link: string, id: string) => images.get(id) ?? images.get(decode(id)) ?? link,
  )
}

function decode(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
