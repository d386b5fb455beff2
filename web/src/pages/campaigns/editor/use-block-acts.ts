/**
 * The hook holds the chosen block and the one that was deleted last, which a button or the undo
 * keys restore.
 */
import { useWindowEvent } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addFirstId } from './AddBlock.tsx'
import { drawThenFocus, gripId } from './block-drag.tsx'
import {
  findBlock,
  insertBlock,
  listAt,
  locate,
  removeBlock,
  type Block,
  type LocatedBlock,
  type BlockPosition,
} from './blocks.ts'
import type { BlockParts } from './editor-context.ts'
import { isText } from './find-spot.ts'

type BlockActs = Pick<
  BlockParts,
  'chosen' | 'choose' | 'removed' | 'remove' | 'putBack' | 'announce'
> & { announcement: string }

export function useBlockActs(
  blocks: readonly Block[],
  changeBlocks: BlockParts['changeBlocks'],
): BlockActs {
  const { t } = useTranslation('drafts')
  const [chosen, choose] = useState<string | null>(null)
  const [removed, setRemoved] = useState<LocatedBlock | null>(null)
  const [announcement, announce] = useState('')
  const remove = (key: string): void => {
    const result = locate(blocks, key)
    if (!result) return
    const card = document.getElementById(`block-${key}`)
    const isHere =
      document.activeElement === document.body || card?.contains(document.activeElement)
    const take = (): void => {
      setRemoved(result)
      changeBlocks((now) => removeBlock(now, key))
    }
    if (isHere) drawThenFocus(take, besideOf(blocks, result.position))
    else take()
    announce(t('removed', { name: t(`block_${result.block.type}`) }))
  }
  const putBack = (): void => {
    if (!removed) return
    const { block, position: before } = removed
    const isThere = before.within === null || findBlock(blocks, before.within.key) !== null
    drawThenFocus(() => {
      changeBlocks((now) =>
        insertBlock(now, isThere ? before : { within: null, index: now.length }, block),
      )
      setRemoved(null)
    }, gripId(block.key))
  }
  // Outside of a text, the undo keys restore a deleted block; the browser's own undo would change
  // some text instead.
  useWindowEvent('keydown', (event) => {
    const key = event.key.toLowerCase()
    if ((!event.ctrlKey && !event.metaKey) || event.altKey || (key !== 'z' && key !== 'y')) return
    if (event.target instanceof HTMLElement && isText(event.target)) return
    event.preventDefault()
    if (key === 'z' && !event.shiftKey) putBack()
  })
  return { chosen, choose, removed, remove, putBack, announce, announcement }
}

/**
 * When a block is gone, the next one gets the focus, or the previous one, its container, or the
 * button that adds one.
 */
function besideOf(blocks: readonly Block[], { within, index }: BlockPosition): string {
  const list = listAt(blocks, within)
  const beside = list[index + 1]?.key ?? list[index - 1]?.key ?? within?.key
  return beside === undefined ? addFirstId : gripId(beside)
}
