/**
 * Pictures for mails: recognized by their content, stripped of metadata, each stored once and
 * served for ever.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { imageLimits } from '../../src/contract/workspace/images.ts'
import { createImageCache } from '../../src/core/images/image-cache.ts'
import { sql } from '../../src/database/client/sql.ts'
import { readImage } from '../../src/ground/images/read-image.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ workers: false, entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const ada = await signIn(api, { in: { [shop.id]: 'editor' } })
const add = (bytes: Buffer, name = 'cat.png'): Promise<Answer> =>
  ada.ask(`POST /workspaces/shop/api/v1/images?name=${encodeURIComponent(name)}`, {
    raw: Uint8Array.from(bytes),
    type: 'image/png',
  })

function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const head = Buffer.alloc(4)
  head.writeUInt32BE(content.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([head, body, check])
}

function png({
  width,
  height,
  extra = [],
}: {
  width: number
  height: number
  extra?: Buffer[]
}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const pixels = deflateSync(Buffer.alloc(Math.min(height, 50) * (1 + Math.min(width, 50) * 3)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...extra,
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const segment = (marker: number, content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 0xff]),
    content,
  ])

/** Turned by a quarter, made somewhere. */
const exif = Buffer.concat([
  Buffer.from('Exif\0\0MM\0*\0\0\0\b\0\x01', 'latin1'),
  Buffer.from([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]),
  Buffer.from('48.8566N 2.3522E'),
])
const jpeg = Buffer.concat([
  Buffer.from([0xff, 0xd8]),
  ...[
    segment(0xe1, exif),
    segment(0xfe, Buffer.from('by nobody')),
    segment(0xc0, Buffer.from([8, 0, 20, 0, 30, 1])),
  ],
  ...[
    segment(0xda, Buffer.from([1])),
    Buffer.from([1, 2, 0xff, 0, 0xff, 0xd0, 3, 0xff, 0xd9]),
    Buffer.from('<script>'),
  ],
])
const gif = Buffer.concat([
  Buffer.from('GIF89a', 'latin1'),
  Buffer.from([7, 0, 5, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
  Buffer.from([0x21, 0xfe, 6]),
  Buffer.from('secret\0', 'latin1'),
  Buffer.from([0x2c, 0, 0, 0, 0, 7, 0, 5, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]),
  Buffer.from('trailing'),
])
const webpChunk = (name: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content, Buffer.alloc(content.length & 1)])
}
const webpBody = Buffer.concat([
  Buffer.from('WEBP'),
  webpChunk('VP8X', Buffer.from([0x0c, 0, 0, 0, 8, 0, 0, 3, 0, 0])),
  webpChunk('VP8L', Buffer.from([0x2f, 8, 0, 1, 0])),
  webpChunk('EXIF', Buffer.from('secret')),
])
const webp = Buffer.concat([Buffer.from('RIFF'), Buffer.from([webpBody.length, 0, 0, 0]), webpBody])

test('each format is known by its content, and loses comments, places, names and what follows it', () => {
  const text = chunk('tEXt', Buffer.from('Location\0secret'))
  const cases = [
    [
      'image/png',
      40,
      30,
      Buffer.concat([png({ width: 40, height: 30, extra: [text] }), Buffer.from('trailing')]),
    ],
    ['image/jpeg', 20, 30, jpeg],
    ['image/gif', 7, 5, gif],
    ['image/webp', 9, 4, webp],
  ] as const
  for (const [type, width, height, bytes] of cases) {
    const read = readImage(bytes)
    assert.partialDeepStrictEqual(read, { type, width, height })
    assert.doesNotMatch(
      read?.bytes.toString('latin1') ?? '',
      /secret|trailing|script|nobody|48\.8/,
      type,
    )
    // The rest is a whole picture of this format, and a second reading removes nothing more.
    assert.deepEqual(readImage(read?.bytes ?? Buffer.alloc(0)), read, type)
  }
})

test('a photograph stays upright: of its Exif data only the orientation stays', () => {
  assert.match(readImage(jpeg)?.bytes.toString('hex') ?? '', /45786966000.*0112000300000001000600/)
})

test('a file that ends too early anywhere is no picture, and neither is noise', () => {
  for (const bytes of [
    png({ width: 4, height: 4 }),
    jpeg.subarray(0, -8),
    gif.subarray(0, -8),
    webp,
  ]) {
    assert.ok(readImage(bytes))
    for (let length = 0; length < bytes.length; length++)
      assert.equal(readImage(bytes.subarray(0, length)), null)
    for (let index = 0; index < bytes.length; index++) {
      const broken = Buffer.from(bytes)
      broken[index] = (broken[index] ?? 0) ^ 0xff
      assert.doesNotThrow(() => readImage(broken))
    }
  }
})

test('a picture is stored once, and its address serves it to every caller, for ever, as nothing but a picture', async () => {
  const bytes = png({ width: 40, height: 30 })
  const added = await add(bytes)
  assertAnswered(added, 201, {
    name: 'cat.png',
    type: 'image/png',
    width: 40,
    height: 30,
    size: bytes.length,
  })
  assertAnswered(await add(bytes, 'again.png'), 200, { name: 'cat.png', url: textAt(added, 'url') })
  assertAnswered(await ada.ask('GET /workspaces/shop/api/v1/images'), 200, {
    data: [{ name: 'cat.png' }],
    has_more: false,
  })
  const url = textAt(added, 'url')
  assert.ok(url.startsWith(`${api.baseUrl}/images/`) && url.endsWith('.png'))
  const shown = await fetch(url)
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), bytes)
  const header = (name: string): string | null => shown.headers.get(name)
  assert.equal(header('content-type'), 'image/png')
  assert.equal(header('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(header('x-content-type-options'), 'nosniff')
  assert.equal(header('content-security-policy'), "default-src 'none'; sandbox")
  const again = await fetch(url, { headers: { 'if-none-match': header('etag') ?? '' } })
  assert.equal(again.status, 304)
  // Asked for by its head, it is looked up; asked for again, it comes without a look-up.
  const head = await fetch(url, { method: 'HEAD' })
  assert.equal(head.headers.get('content-length'), String(bytes.length))
  assert.equal(head.headers.get('content-type'), 'image/png')
  await api.run(
    `update image_file set content = '\\x00' where workspace_id = ${shop.id} and name = 'cat.png'`,
  )
  const stored = await Promise.all(['', '?again'].map((query) => fetch(url + query)))
  for (const each of stored) assert.deepEqual(Buffer.from(await each.arrayBuffer()), bytes)
  // The last letter has bits to spare: another spelling of the same bytes is no address.
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const respelled = url.replace(/.(?=\.png$)/, (last) => letters[letters.indexOf(last) ^ 1] ?? '')
  for (const wrong of [
    respelled,
    url.replace(/.\.png$/, '.png'),
    url.replace('/images/A', '/images/B'),
    `${api.baseUrl}/images/cat.png`,
  ])
    assert.equal((await fetch(wrong)).status, 404, wrong)
})

test('the cache holds 64 MB of recent pictures, and drops the least recently used', async () => {
  const { db } = api.service
  const digests = Array.from({ length: 5 }, (_, index) => Buffer.alloc(32, index + 1))
  const sixteenMB = 16 * 1024 * 1024
  for (const digest of digests)
    await db.count(sql`
      insert into image_file (workspace_id, id, digest, type, width, height, size, content, name, created_at)
      values (${shop.id}, ${api.service.makeId()}, ${digest}, 'image/png', 1, 1, 1, convert_to(repeat('x', ${sixteenMB}), 'UTF8'), 'held.png', facteur_now())`)
  const read = createImageCache(api.service)
  const lengthOf = async (index: number) => {
    const picture = await read({ workspaceId: shop.id, digest: digests[index] ?? Buffer.alloc(0) })
    return picture?.bytes.length
  }
  // The first is requested again before the fifth comes: the second is dropped.
  for (const index of [0, 1, 2, 3, 0, 4]) assert.equal(await lengthOf(index), sixteenMB)
  await api.run(
    `update image_file set content = '\\x00' where workspace_id = ${shop.id} and name = 'held.png'`,
  )
  for (const index of [0, 2, 3, 4]) assert.equal(await lengthOf(index), sixteenMB)
  assert.equal(await lengthOf(1), 1)
  await api.run(`delete from image_file where workspace_id = ${shop.id} and name = 'held.png'`)
})

test('drawings, pages, and pictures that unfold to too many pixels are refused', async () => {
  const refuses = async (bytes: Buffer, rule: string): Promise<void> =>
    assertRefused(await add(bytes), 'validation_error', { rule })
  await refuses(
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    'image_type',
  )
  await refuses(Buffer.from('<!doctype html><script>alert(1)</script>'), 'image_type')
  await refuses(Buffer.alloc(0), 'image_type')
  await refuses(png({ width: 6001, height: 1 }), 'image_side')
  await refuses(png({ width: 4, height: 0 }), 'image_side')
  await refuses(png({ width: 6000, height: 6000 }), 'image_pixels')
  await refuses(
    Buffer.concat([png({ width: 4, height: 4 }), Buffer.alloc(5 * 1024 * 1024)]),
    'body_bytes',
  )
})

test('422 images_bytes: all pictures of a workspace have a bound, which may be reached, also by two that come together', async () => {
  await api.run(`delete from image_file where workspace_id = ${shop.id}`)
  assertAnswered(await add(png({ width: 9, height: 9 })), 201)
  const [first, second] = [png({ width: 11, height: 9 }), png({ width: 9, height: 11 })]
  const room = Math.max(first.length, second.length)
  await api.run(
    `update image_file set size = ${imageLimits.allBytesMax - room} where workspace_id = ${shop.id}`,
  )
  const { db } = api.service
  const { calls } = await db.transaction(async (tx) => {
    await tx.rows(sql`select from workspace where id = ${shop.id} for no key update`)
    const adding = [add(first), add(second)]
    let isOver = false
    void Promise.all(adding).then(() => (isOver = true))
    const waiting = () =>
      db.rows(
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    // Until both wait for the workspace; were they to pass without, until they are over.
    await until(async () => isOver || (await waiting()).length >= 2)
    return { calls: adding }
  })
  assert.deepEqual((await Promise.all(calls)).map(({ status }) => status).toSorted(), [201, 422])
})
