/** What every part of the editor may know of the draft and do to it. */
import { createContext, useContext } from 'react'
import type { TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import { updateBlock, type Block, type LocatedBlock } from './blocks.ts'
import type { CurrentProblem } from './current-problems.ts'

export interface EditorParts {
  typed: TypedDraft
  blocks: readonly Block[]
  problems: readonly CurrentProblem[]
  /** Keys of custom fields, for merge tags. */
  fields: readonly string[]
  change(change: Partial<TypedDraft>): void
  /** Of the blocks as they are by then: what takes a while (a picture on its way) overwrites nothing that was typed meanwhile. */
  changeBlocks(change: (blocks: readonly Block[]) => Block[]): void
  /** Takes a block out; it can be put back until the next one is. */
  remove(key: string): void
  removed: LocatedBlock | null
  putBack(): void
  /** The block whose fields are open; null: none. */
  chosen: string | null
  choose(key: string | null): void
  /** Says something to those who do not see the page. */
  announce(text: string): void
}

export const EditorContext = createContext<EditorParts | null>(null)

export function useEditor(): EditorParts {
  const parts = useContext(EditorContext)
  if (!parts) throw new Error('This part stands outside of an editor')
  return parts
}

/** What changes a block, and saves it with all else. */
export function useChange({ key }: Block): (change: Partial<Block>) => void {
  const { changeBlocks } = useEditor()
  return (change) => changeBlocks((blocks) => updateBlock(blocks, key, change))
}
