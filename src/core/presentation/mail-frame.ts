/** A mail's HTML as a frame of our pages shows it: quiet, with the pictures that it brings itself and those of its workspace. */
import type { OutgoingFile } from '../../contract/operation.ts'
import { imagesAmong } from '../../db/images/images.ts'
import { isDataPicture } from '../../mail/html/data-picture.ts'
import { quietHtml } from '../../mail/html/quiet-html.ts'
import type { PictureAt } from '../../mail/html/quiet-style.ts'
import type { CallContext } from '../context.ts'
import { imageFolder, readImageName } from './image-address.ts'

/** `pictures`: whoever looks wants those from elsewhere too; those that tell of an open are never asked for. */
export async function frameMail(
  ctx: Pick<CallContext, 'db' | 'settings' | 'workspaceId'>,
  html: string,
  { pictures }: { pictures: boolean },
): Promise<{ body: OutgoingFile }> {
  const { baseUrl } = ctx.settings
  const own = await ownPictures(ctx, html)
  const pictureAt: PictureAt = (given) => {
    const address = given.replaceAll(/[\t\n\r]+/g, '').trim()
    if (isDataPicture(address)) return address
    // Our own are shown by whatever name the page itself was asked.
    if (address.startsWith(`${baseUrl}${imageFolder}`)) {
      const path = address.slice(baseUrl.length)
      return own.has(path.slice(imageFolder.length)) ? path : null
    }
    return pictures && /^(?:https?:)?\/\//i.test(address) && !isPixel(address, baseUrl) ? address : null
  }
  return { body: { type: 'text/html; charset=utf-8', name: null, octets: Buffer.from(quietHtml(html, pictureAt)) } }
}

/** For who looks at mail of all workspaces: what the mail brings itself. */
export const frameMailAlone = (html: string): string => quietHtml(html, (address) => (isDataPicture(address) ? address : null))

/** Whoever it was, they looked at the mail here: that is no open, and what they look at is no link to follow. */
function isPixel(address: string, baseUrl: string): boolean {
  const url = URL.parse(address, baseUrl)
  return url === null || url.host === new URL(baseUrl).host || /\/[oc]\/[\w-]{64}(?:\/|$)/.test(url.pathname)
}

const namesMax = 200

/** Names of pictures in the html that are there: a page does not ask for one that is not. */
async function ownPictures({ db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>, html: string): Promise<Set<string>> {
  const named = new Map<string, string>()
  for (const [, name = ''] of html.matchAll(/\/images\/([\w-]{51}\.(?:png|jpg|gif|webp))/g)) {
    const key = readImageName(name)
    if (key?.workspaceId === workspaceId && named.size < namesMax) named.set(name, key.digest.toString('hex'))
  }
  if (named.size === 0) return new Set()
  const digests = [...new Set(named.values())].map((digest) => Buffer.from(digest, 'hex'))
  const found = new Set((await imagesAmong(db, workspaceId, digests)).map((digest) => digest.toString('hex')))
  return new Set([...named].flatMap(([name, digest]) => (found.has(digest) ? [name] : [])))
}
