/** The blocks of a single e-mail, with the editor of campaigns; it has no merge tags. */
import { Alert, Text, VisuallyHidden } from '@mantine/core'
import { useMemo, type Dispatch, type SetStateAction } from 'react'
import type { DraftProblem } from '../../../../src/contract/workspace/drafts.ts'
import { Refusal } from '../../api/refusal.ts'
import { Blocks } from '../campaigns/editor/Blocks.tsx'
import { blockAt, findBlock, type Block } from '../campaigns/editor/blocks.ts'
import type { CurrentProblem } from '../campaigns/editor/current-problems.ts'
import { BlockContext, useSayProblem } from '../campaigns/editor/editor-context.ts'
import { useBlockActs } from '../campaigns/editor/use-block-acts.ts'

interface ComposeBlocksProps {
  blocks: readonly Block[]
  onChange: Dispatch<SetStateAction<readonly Block[]>>
  /** Those that `error` is about. */
  sent: readonly Block[]
  error: unknown
}

export function ComposeBlocks({ blocks, onChange, sent, error }: ComposeBlocksProps) {
  const say = useSayProblem()
  const changeBlocks = (change: (now: readonly Block[]) => Block[]): void => onChange(change)
  const acts = useBlockActs(blocks, changeBlocks)
  const problems = useMemo(() => placeProblems(error, { sent, blocks }), [error, sent, blocks])
  const parts = { blocks, changeBlocks, problems, fields: null, ...acts }
  return (
    <BlockContext value={parts}>
      {problems
        .filter(({ block }) => block === null)
        .map((problem) => (
          <Alert key={`${problem.path} ${problem.rule}`} color="yellow" role="status">
            <Text>{say(problem)}</Text>
          </Alert>
        ))}
      <Blocks />
      <VisuallyHidden aria-live="assertive">{acts.announcement}</VisuallyHidden>
    </BlockContext>
  )
}

/** A problem stays at its block until the block changes. */
const placeProblems = (
  error: unknown,
  { sent, blocks }: Pick<ComposeBlocksProps, 'sent' | 'blocks'>,
): CurrentProblem[] =>
  problemsOf(error).flatMap((problem): CurrentProblem[] => {
    if (problem.index === undefined) return sent === blocks ? [{ ...problem, block: null }] : []
    const block = blockAt(sent, problem.indexes ?? [problem.index])
    return block && findBlock(blocks, block.key) === block ? [{ ...problem, block: block.key }] : []
  })

/** The refusals of content have the problems of a draft as their details. */
function problemsOf(error: unknown): DraftProblem[] {
  if (!(error instanceof Refusal) || !Array.isArray(error.details['errors'])) return []
  const problems = error.details['errors'] as DraftProblem[]
  return problems.filter(({ path }) => path.split('.')[0] === 'content')
}
