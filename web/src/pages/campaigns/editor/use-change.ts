/** What changes a block, and saves it with all else. */
import { updateBlock } from './blocks.ts'
import type { Block } from './blocks.ts'
import { useEditor } from './editor-context.ts'

export function useChange({ key }: Block): (change: Partial<Block>) => void {
  const { changeBlocks } = useEditor()
  return (change) => changeBlocks((blocks) => updateBlock(blocks, key, change))
}
