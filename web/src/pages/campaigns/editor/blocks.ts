/** The editor gives each block of a draft a key, which identifies it wherever the user moves it. */
import type { BlockType } from '../../../../../src/contract/campaign-content.ts'

export interface Block {
  key: string
  type: BlockType
  text?: string
  level?: number
  src?: string
  alt?: string
  href?: string
  width?: number
  items?: string[]
  ordered?: boolean
  height?: number
  html?: string
  align?: 'left' | 'center' | 'right'
  color?: string
  background?: string
  columns?: Block[][]
}

/** The editor offers the kinds in this order. */
export const blockTypes: readonly BlockType[] = [
  ...([
    'paragraph',
    'heading',
    'image',
    'button',
    'list',
    'quote',
    'divider',
    'spacer',
    'columns',
    'html',
  ] as const),
]

/** A block stands at an index of the whole list, or of one column of a block. */
export interface BlockPosition {
  /** Null means the whole list. */
  within: { key: string; column: number } | null
  index: number
}

export const makeKey = (): string => crypto.randomUUID()

export function newBlock(type: BlockType): Block {
  const key = makeKey()
  if (type === 'columns') return { key, type, columns: [[], []] }
  if (type === 'list') return { key, type, items: [''] }
  return { key, type }
}

/**
 * Reads blocks that the editor or the API stored: it leaves out fields without a value, and gives a
 * block without a key one by its place, the same each time.
 */
export const readBlocks = (stored: readonly object[], within = ''): Block[] =>
  stored.map((block, index) => readBlock(block, `${within}${index}`))

function readBlock(stored: object, location: string): Block {
  const fields = Object.fromEntries(
    Object.entries(stored).filter(([, value]) => value !== null && value !== undefined),
  )
  // An editor saved the block or the service validated it; the service names fields of another kind
  // as problems.
  const block = { key: location, ...fields } as Block
  return block.columns
    ? {
        ...block,
        columns: block.columns.map((column, at) => readBlocks(column, `${block.key}.${at}.`)),
      }
    : block
}

export const listAt = (
  blocks: readonly Block[],
  within: BlockPosition['within'],
): readonly Block[] =>
  within === null ? blocks : (findBlock(blocks, within.key)?.columns?.[within.column] ?? [])

export interface LocatedBlock {
  block: Block
  position: BlockPosition
}

/** Null if the list has no such block. */
export function locate(
  blocks: readonly Block[],
  key: string,
  within: BlockPosition['within'] = null,
): LocatedBlock | null {
  for (const [index, block] of blocks.entries()) {
    if (block.key === key) return { block, position: { within, index } }
    for (const [column, list] of (block.columns ?? []).entries()) {
      const result = locate(list, key, { key: block.key, column })
      if (result) return result
    }
  }
  return null
}

export const findBlock = (blocks: readonly Block[], key: string): Block | null =>
  locate(blocks, key)?.block ?? null

export const placeOf = (blocks: readonly Block[], key: string): BlockPosition | null =>
  locate(blocks, key)?.position ?? null

/** Replaces one list by the result of `change`. */
function changeList(
  blocks: readonly Block[],
  within: BlockPosition['within'],
  change: (list: readonly Block[]) => Block[],
): Block[] {
  if (within === null) return change(blocks)
  return blocks.map((block) =>
    block.key === within.key && block.columns
      ? {
          ...block,
          columns: block.columns.map((list, column) =>
            column === within.column ? change(list) : list,
          ),
        }
      : block,
  )
}

export const insertBlock = (
  blocks: readonly Block[],
  { within, index }: BlockPosition,
  block: Block,
): Block[] => changeList(blocks, within, (list) => list.toSpliced(index, 0, block))

export function removeBlock(blocks: readonly Block[], key: string): Block[] {
  const location = placeOf(blocks, key)
  return location
    ? changeList(blocks, location.within, (list) => list.toSpliced(location.index, 1))
    : [...blocks]
}

export function updateBlock(
  blocks: readonly Block[],
  key: string,
  change: Partial<Block>,
): Block[] {
  return blocks.map((block) => {
    if (block.key === key) return { ...block, ...change }
    return block.columns
      ? { ...block, columns: block.columns.map((list) => updateBlock(list, key, change)) }
      : block
  })
}

/** Moves a block to `location`, which counts the list before the move. */
export function moveBlock(blocks: readonly Block[], key: string, location: BlockPosition): Block[] {
  const moved = locate(blocks, key)
  if (!moved) return [...blocks]
  const isAfterInSameList =
    sameList(moved.position.within, location.within) && moved.position.index < location.index
  return insertBlock(
    removeBlock(blocks, key),
    { ...location, index: location.index - (isAfterInSameList ? 1 : 0) },
    moved.block,
  )
}

export const sameList = (a: BlockPosition['within'], b: BlockPosition['within']): boolean =>
  a?.key === b?.key && a?.column === b?.column

/** Puts a copy right behind the block. */
export function duplicateBlock(blocks: readonly Block[], key: string): Block[] {
  const result = locate(blocks, key)
  if (!result) return [...blocks]
  return insertBlock(
    blocks,
    { ...result.position, index: result.position.index + 1 },
    withNewKeys(result.block),
  )
}

const withNewKeys = (block: Block): Block => ({
  ...block,
  key: makeKey(),
  ...(block.columns && { columns: block.columns.map((list) => list.map(withNewKeys)) }),
})

/**
 * Returns each place where a block may go, from top to bottom: no columns within columns, and no
 * block within itself.
 */
export function placesFor(blocks: readonly Block[], moving: Block): BlockPosition[] {
  const inColumns = moving.type !== 'columns'
  const places: BlockPosition[] = []
  for (const [index, block] of blocks.entries()) {
    places.push({ within: null, index })
    if (!inColumns) continue
    for (const [column, list] of (block.columns ?? []).entries())
      for (let at = 0; at <= list.length; at++)
        places.push({ within: { key: block.key, column }, index: at })
  }
  return [...places, { within: null, index: blocks.length }]
}

/** Returns the place of one step up or down, past places that change nothing; null at the end. */
export function stepFrom(
  blocks: readonly Block[],
  key: string,
  step: 1 | -1,
): BlockPosition | null {
  const moving = locate(blocks, key)
  if (!moving) return null
  const from = moving.position
  const places = placesFor(blocks, moving.block)
  const isHere = ({ within, index }: BlockPosition): boolean =>
    sameList(within, from.within) && (index === from.index || index === from.index + 1)
  const here = places.findIndex(
    (location) => sameList(location.within, from.within) && location.index === from.index,
  )
  for (let at = here + step; at >= 0 && at < places.length; at += step) {
    const location = places[at]
    if (location && !isHere(location)) return location
  }
  return null
}

/** Announces the place of a block: "3 of 7". */
export function countPlaces(blocks: readonly Block[], key: string): { at: number; of: number } {
  const location = placeOf(blocks, key)
  return { at: (location?.index ?? 0) + 1, of: listAt(blocks, location?.within ?? null).length }
}

/** Returns the block that a problem names by its indexes: block, or block, column, block in it. */
export function blockAt(blocks: readonly Block[], indexes: readonly number[]): Block | null {
  const [index = -1, column, inner] = indexes
  const block = blocks[index] ?? null
  return column === undefined || inner === undefined
    ? block
    : (block?.columns?.[column]?.[inner] ?? block)
}

/**
 * Changes the number of columns: the blocks of a deleted column go to the end of the last one that
 * stays.
 */
export function withColumns(columns: readonly Block[][], count: number): Block[][] {
  const remaining = columns.slice(0, count).map((list) => [...list])
  remaining.at(-1)?.push(...columns.slice(count).flat())
  return [...remaining, ...Array.from({ length: Math.max(0, count - remaining.length) }, () => [])]
}
