/** Defines the images that a workspace stores for its mails. */
import { createdOrFound, ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, PageQuery, Type, listOf, type Static } from '../schema.ts'

export const imageLimits = {
  /** In bytes. */
  bytesMax: 5 * 1024 * 1024,
  /** Pixels of width or height: mails are 600 wide. */
  sideMax: 6000,
  /** Pixels in all, which a reader's program must decompress. */
  pixelsMax: 24_000_000,
  /** Bytes of all images of a workspace. */
  allBytesMax: 500 * 1024 * 1024,
} as const

export const Image = Type.Object({
  object: Type.Literal('image'),
  id: Type.String(),
  url: Type.String({ description: 'Public, and the same for ever: mails show it.' }),
  name: Type.String(),
  type: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  size: Type.Integer({ description: 'Bytes.' }),
  createdAt: DateTime,
})
export type Image = Static<typeof Image>

const images = operationsOf({ ...ofMembers, tag: 'Campaigns' })

export const imageOperations = {
  listImages: images.get('/api/v1/images', listOf(Image), {
    summary: 'List pictures',
    description: 'Newest first.',
    query: PageQuery,
  }),
  addImage: images.post('/api/v1/images', createdOrFound(Image), {
    summary: 'Upload a picture',
    description:
      'PNG, JPEG, GIF or WebP, recognized by its content. The service removes data that shows nothing: the place of a photograph, ' +
      'comments, bytes after the picture. The same bytes are stored once.',
    query: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 255, description: 'Of the file.' }),
    }),
    takesFile: true,
    bodyBytesMax: imageLimits.bytesMax,
  }),
}
