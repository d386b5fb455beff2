/**
 * Embeds a mail's inline pictures as data addresses where its html names them by `cid:` (RFC 2392).
 */

/** A file that may be one: the type is what its sender called it. */
export interface OwnImage {
  id: string | null
  type: string | null
  content: Uint8Array
}

/**
 * Limit in bytes of the pictures written into the HTML once each, and again for those that it names
 * more than once.
 */
const inlineMax = 8_000_000

export function withOwnImages(html: string, files: OwnImage[]): string {
  let left = inlineMax
  const images = new Map<string, Inlined>()
  for (const { id, type, content } of files) {
    if (!id || !type || !/^image\/[a-z0-9.+-]+$/.test(type) || content.byteLength > left) continue
    left -= content.byteLength
    const data = `data:${type};base64,${Buffer.from(content).toString('base64')}`
    images.set(id.replaceAll(/^<|>$/g, ''), { data, size: content.byteLength, isShown: false })
  }
  // The HTML may name one picture in thousands of places: a limit bounds their sum, and a place
  // beyond it keeps its link.
  let leftForRepeats = inlineMax
  return html.replaceAll(/(?<=["'(=])cid:([^"'()<>\s]{1,400})/gi, (link: string, id: string) => {
    const image = images.get(id) ?? images.get(decode(id))
    if (!image) return link
    if (image.isShown && image.size > leftForRepeats) return link
    if (image.isShown) leftForRepeats -= image.size
    image.isShown = true
    return image.data
  })
}

interface Inlined {
  data: string
  size: number
  isShown: boolean
}

function decode(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
