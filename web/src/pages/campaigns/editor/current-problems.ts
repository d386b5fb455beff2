/**
 * Places the problems of the last save in the current draft: each stays with its block and
 * disappears with its cause.
 */
import type { DraftProblem, TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import { blockAt, findBlock, readBlocks, type Block } from './blocks.ts'
import { linesOf } from './ways.ts'

/**
 * `block`: the key of the block with the problem. Null means a line above the content, or the
 * content as a whole.
 */
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
    if (problem.index === undefined)
      return isLineChanged(problem, checked, typed) ? [] : [{ ...problem, block: null }]
    const result = blockAt(before, indexesOf(problem))
    const same = result && findBlock(now, result.key)
    if (!result || !same || isFieldChanged(problem, result, same)) return []
    return [{ ...problem, block: result.key }]
  })
}

const indexesOf = ({ index, indexes }: DraftProblem): readonly number[] =>
  indexes ?? (index === undefined ? [] : [index])

/** Only the service checks the content as a whole: its problems stay until the next save. */
function isLineChanged({ path }: DraftProblem, checked: TypedDraft, typed: TypedDraft): boolean {
  const [before, now] = [
    new Map(Object.entries(linesOf(checked))),
    new Map(Object.entries(linesOf(typed))),
  ]
  const [line = ''] = path.split('.')
  return JSON.stringify(before.get(line)) !== JSON.stringify(now.get(line))
}

/** The next save checks a changed value. */
function isFieldChanged(problem: DraftProblem, before: Block, now: Block): boolean {
  const field = fieldOf(problem)
  const valueOf = (block: Block): string =>
    JSON.stringify(Object.entries(block).filter(([name]) => !field || name === field))
  return valueOf(before) !== valueOf(now)
}

/**
 * Names the field behind the block in `content.3.href` or `content.3.columns.0.2.href`. Undefined
 * if the block itself is wrong.
 */
function fieldOf(problem: DraftProblem): string | undefined {
  const stepsToBlock = indexesOf(problem).length > 2 ? 5 : 2
  return problem.path.split('.')[stepsToBlock]
}
