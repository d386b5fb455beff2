/** Places the problems of the last save in the draft as it stands now: each stays with its block and goes with its cause. */
import type { DraftProblem, TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import { blockAt, findBlock, readBlocks, type Block } from './blocks.ts'
import { linesOf } from './ways.ts'

/** `block`: the key of the block that it is about; null: a line above the content, or the content as a whole. */
export type CurrentProblem = DraftProblem & { block: string | null }

export interface CheckedDraft {
  problems: readonly DraftProblem[]
  /** The service found the problems in this draft. */
  checked: TypedDraft
  typed: TypedDraft
}

export function currentProblems({ problems, checked, typed }: CheckedDraft): CurrentProblem[] {
  const [before, now] = [readBlocks(checked.content), readBlocks(typed.content)]
  return problems.flatMap((problem): CurrentProblem[] => {
    if (problem.index === undefined) return isLineChanged(problem, checked, typed) ? [] : [{ ...problem, block: null }]
    const found = blockAt(before, indexesOf(problem))
    const same = found && findBlock(now, found.key)
    if (!found || !same || isFieldChanged(problem, found, same)) return []
    return [{ ...problem, block: found.key }]
  })
}

const indexesOf = ({ index, indexes }: DraftProblem): readonly number[] => indexes ?? (index === undefined ? [] : [index])

/** Of the content as a whole only the service knows: what it found stands until the next save. */
function isLineChanged({ path }: DraftProblem, checked: TypedDraft, typed: TypedDraft): boolean {
  const [before, now] = [new Map(Object.entries(linesOf(checked))), new Map(Object.entries(linesOf(typed)))]
  return before.get(path) !== now.get(path)
}

/** A value that was changed is checked by the next save. */
function isFieldChanged(problem: DraftProblem, before: Block, now: Block): boolean {
  const field = fieldOf(problem)
  const valueOf = (block: Block): string => JSON.stringify(Object.entries(block).filter(([name]) => !field || name === field))
  return valueOf(before) !== valueOf(now)
}

/** In `content.3.href` and in `content.3.columns.0.2.href` the name behind the block; undefined: the block itself is wrong. */
function fieldOf(problem: DraftProblem): string | undefined {
  const stepsToBlock = indexesOf(problem).length > 2 ? 5 : 2
  return problem.path.split('.')[stepsToBlock]
}
