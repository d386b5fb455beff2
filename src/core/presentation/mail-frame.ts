/**
 * Prepares a mail's HTML for a frame of our pages: without scripts, with its own images and those
 * of its workspace.
 */
import type { OutgoingFile } from '../../contract/operation.ts'
import { imagesAmong } from '../../db/images/images.ts'
import { isDataPicture } from '../../mail/html/data-picture.ts'
import { quietHtml } from '../../mail/html/quiet-html.ts'
import type { PictureAt } from '../../mail/html/quiet-style.ts'
import type { CallContext } from '../context.ts'
import { imageFolder, readImageName } from './image-address.ts'

/** `pictures`: the viewer wants external images too; tracking pixels are never requested. */
export async function frameMail(
  ctx: Pick<CallContext, 'db' | 'settings' | 'workspaceId'>,
  { html, pictures }: { html: string; pictures: boolean },
): Promise<{ body: OutgoingFile }> {
  const { baseUrl } = ctx.settings
  const own = await ownPictures(ctx, html)
  const pictureAt: PictureAt = (source) => {
    const address = source.replaceAll(/[\t\n\r]+/g, '').trim()
    if (isDataPicture(address)) return address
    // Our own images are loaded under whatever host name the page itself has.
    if (address.startsWith(`${baseUrl}${imageFolder}`)) {
      const path = address.slice(baseUrl.length)
      return own.has(path.slice(imageFolder.length)) ? path : null
    }
    return pictures && /^(?:https?:)?\/\//i.test(address) && !isPixel(address, baseUrl)
      ? address
      : null
  }
  return {
    body: {
      type: 'text/html; charset=utf-8',
      name: null,
      bytes: Buffer.from(quietHtml(html, pictureAt)),
    },
  }
}

/** A viewer's look at the mail here is no open, so its pixel is removed whatever its token. */
function isPixel(address: string, baseUrl: string): boolean {
  const url = URL.parse(address, baseUrl)
  return (
    url === null ||
    url.host === new URL(baseUrl).host ||
    /\/[oc]\/[\w-]{64}(?:\/|$)/.test(url.pathname)
  )
}

const namesMax = 200

/** Names of the HTML's images that exist, so that the page requests no missing one. */
async function ownPictures(
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  html: string,
): Promise<Set<string>> {
  const named = new Map<string, string>()
  for (const [, name = ''] of html.matchAll(/\/images\/([\w-]{51}\.(?:png|jpg|gif|webp))/g)) {
    const key = readImageName(name)
    if (key?.workspaceId === workspaceId && named.size < namesMax)
      named.set(name, key.digest.toString('hex'))
  }
  if (named.size === 0) return new Set()
  const digests = [...new Set(named.values())].map((digest) => Buffer.from(digest, 'hex'))
  const known = new Set(
    (await imagesAmong(db, workspaceId, digests)).map((digest) => digest.toString('hex')),
  )
  return new Set([...named].flatMap(([name, digest]) => (known.has(digest) ? [name] : [])))
}
