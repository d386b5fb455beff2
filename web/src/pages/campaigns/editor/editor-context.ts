/**
 * The context gives every part of the editor the draft, the ways to change it, and its problems in
 * words.
 */
import { createContext, useContext } from 'react'
import { useTranslation } from 'react-i18next'
import type { DraftProblem, TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import { updateBlock, type Block, type LocatedBlock } from './blocks.ts'
import type { CurrentProblem } from './current-problems.ts'
import { sayProblem } from './say-finding.ts'

/** The list of blocks, in an editor of campaigns or of a single mail. */
export interface BlockParts {
  blocks: readonly Block[]
  problems: readonly CurrentProblem[]
  /** Keys of custom fields, for merge tags. Null where the mail has no merge tags. */
  fields: readonly string[] | null
  /**
   * Changes the blocks as they are at that time: a slow change (an upload) overwrites nothing that
   * the user typed meanwhile.
   */
  changeBlocks(change: (blocks: readonly Block[]) => Block[]): void
  /** Deletes a block; the user can restore it until another one is deleted. */
  remove(key: string): void
  removed: LocatedBlock | null
  putBack(): void
  /** The block whose fields are open. Null if there is none. */
  chosen: string | null
  choose(key: string | null): void
  /** Announces a text to screen readers. */
  announce(text: string): void
}

/** A draft of a campaign. */
export interface EditorParts extends BlockParts {
  typed: TypedDraft
  change(change: Partial<TypedDraft>): void
}

export const BlockContext = createContext<BlockParts | null>(null)
export const EditorContext = createContext<EditorParts | null>(null)

export function useBlocks(): BlockParts {
  const parts = useContext(BlockContext)
  if (!parts) throw new Error('This part stands outside of a list of blocks')
  return parts
}

export function useEditor(): EditorParts {
  const parts = useContext(EditorContext)
  if (!parts) throw new Error('This part stands outside of an editor')
  return parts
}

/** The returned function changes a block, which the editor saves with the rest of the draft. */
export function useChange({ key }: Block): (change: Partial<Block>) => void {
  const { changeBlocks } = useBlocks()
  return (change) => changeBlocks((blocks) => updateBlock(blocks, key, change))
}

/** The returned function words a problem that blocks the send, and names the field of its path. */
export function useSayProblem(): (problem: DraftProblem) => string {
  const { t } = useTranslation('drafts')
  return (problem) => sayProblem(problem, t)
}

/** The problem of a line above the content. Undefined if the line is fine. */
export function useProblemOf(path: string): string | undefined {
  const { problems } = useEditor()
  const say = useSayProblem()
  // The save state reports missing fields; a field that the user has not reached yet reports
  // nothing.
  const problem = problems.find(
    (each) => each.path.split('.')[0] === path && each.rule !== 'required',
  )
  return problem && say(problem)
}

/** Returns the problems of one block. */
export function useProblemsOf(key: string): readonly CurrentProblem[] {
  const { problems } = useBlocks()
  return problems.filter(({ block }) => block === key)
}
