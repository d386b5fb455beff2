/** The findings of a check before a send, and whether the user accepted them. */
import { useState } from 'react'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { readBlocks } from '../editor/blocks.ts'
import { useFindingLines, type FindingLine } from '../editor/finding-lines.ts'

export interface ReviewState {
  /** Null while it is looked, or when that failed. */
  lines: FindingLine[] | null
  isChecking: boolean
  error: Error | null
  again: () => void
}

export function useReview({ campaign: { id, status } }: CampaignRun): ReviewState {
  const enabled = useMay('editor') && (status === 'draft' || status === 'scheduled')
  const checked = useAsk('preflightDraft', { params: { id } }, { enabled })
  const draft = useAsk('getDraft', { params: { id } }, { enabled })
  const toLines = useFindingLines()
  const error = checked.error ?? draft.error
  // What was found before is not what is agreed to: it may be mended, or worse, by now.
  const isChecking = enabled && (checked.isFetching || draft.isPending)
  return {
    lines: checked.data && draft.data && !isChecking ? toLines(checked.data, draft.data, readBlocks(draft.data.content)) : null,
    isChecking,
    error: isChecking ? null : error,
    again: () => void checked.refetch(),
  }
}

export interface Agreement {
  review: ReviewState
  /** What is wrong, and would leave all the same. */
  wrong: FindingLine[]
  /** What the service refuses until it is mended. */
  stopping: FindingLine[]
  agreed: boolean
  agree: (agreed: boolean) => void
  /** Nothing stands in the way: all is well, or what is not was agreed to. */
  isClear: boolean
}

/** `isLater`: what the service refuses to send now may be mended until then. */
export function useAgreement(run: CampaignRun, { isLater }: { isLater: boolean }): Agreement {
  const review = useReview(run)
  const bad = review.lines?.filter(({ tone }) => tone === 'bad') ?? []
  const stopping = isLater ? [] : bad.filter(({ stops }) => stops)
  const wrong = bad.filter((line) => !stopping.includes(line))
  // To these findings, and to no others that are found meanwhile.
  const what = review.error ? 'unchecked' : wrong.map(({ id }) => id).join('\n')
  const [agreedTo, setAgreedTo] = useState<string | null>(null)
  const agreed = agreedTo === what
  const needsNone = review.lines !== null && wrong.length === 0
  const isClear = !review.isChecking && stopping.length === 0 && (agreed || needsNone)
  return { review, wrong, stopping, agreed, agree: (yes) => setAgreedTo(yes ? what : null), isClear }
}
