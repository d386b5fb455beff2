/**
 * Reads a picture by what it is, whatever it is called, and takes out of it all that shows nothing.
 */
import { readGif } from './read-gif.ts'
import { readJpeg } from './read-jpeg.ts'
import { readPng } from './read-png.ts'
import { readWebp } from './read-webp.ts'

export interface Picture {
  type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  /** As it is shown, in pixels. */
  width: number
  height: number
  /**
   * Without comments, places, times, names of cameras, previews, and whatever followed the picture.
   */
  bytes: Buffer
}

/**
 * Null for what is none of the four, or broken. Drawings in SVG are programs and no pictures here.
 * Pixels are not decoded: what is wrong inside of them shows nothing, anywhere.
 */
export function readImage(bytes: Buffer): Picture | null {
  for (const [type, read] of readers) {
    const result = read(bytes)
    if (result) return { type, ...result }
  }
  return null
}

/** Of one format: null for what is not of it, or ends too early. */
type Read = (bytes: Buffer) => Omit<Picture, 'type'> | null

const readers: readonly [Picture['type'], Read][] = [
  ['image/png', readPng],
  ['image/jpeg', readJpeg],
  ['image/gif', readGif],
  ['image/webp', readWebp],
]
