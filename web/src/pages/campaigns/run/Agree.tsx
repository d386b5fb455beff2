/**
 * The findings of a check before a send, and in the question before it the box by which the user
 * accepts them.
 */
import { Alert, Checkbox, List } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { readBlocks } from '../editor/blocks.ts'
import { useFindingLines, type FindingLine } from '../editor/finding-lines.ts'
import { Checking } from '../editor/Findings.tsx'

/** The list names so many findings and counts the rest. */
const namedMax = 8

export function Agree({
  agreement,
  verb,
}: {
  agreement: Agreement
  verb: 'sendAllTheSame' | 'scheduleAllTheSame'
}) {
  const { t } = useTranslation('run')
  const { t: drafts } = useTranslation('drafts')
  const { review, wrong, stopping, agreed, agree } = agreement
  const { lines, isChecking, error } = review
  if (isChecking) return <Checking />
  const warnings = lines?.filter(({ tone }) => tone === 'warning') ?? []
  return (
    <>
      {stopping.length > 0 && (
        <Alert color="red" role="alert" title={t('mendFirst')}>
          <Named lines={stopping} />
        </Alert>
      )}
      {(wrong.length > 0 || error) && (
        <Alert
          color="red"
          title={error ? t('unchecked') : drafts('checkBad', { count: wrong.length })}
        >
          <Named lines={wrong} id="what-is-wrong" />
          <Checkbox
            mt="sm"
            label={t(error ? `${verb}Unchecked` : verb)}
            aria-describedby="what-is-wrong"
            checked={agreed}
            onChange={(event) => agree(event.currentTarget.checked)}
          />
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" title={drafts('finding_warning')}>
          <Named lines={warnings} />
        </Alert>
      )}
    </>
  )
}

function Named({ lines, id }: { lines: readonly FindingLine[]; id?: string }) {
  const { t } = useTranslation('run')
  return (
    <List size="sm" id={id} style={{ overflowWrap: 'anywhere' }}>
      {lines.slice(0, namedMax).map((line) => (
        <List.Item key={line.id}>{line.text}</List.Item>
      ))}
      {lines.length > namedMax && (
        <List.Item>{t('andMore', { count: lines.length - namedMax })}</List.Item>
      )}
    </List>
  )
}

export function useReview({ campaign: { id, status } }: CampaignRun) {
  const enabled = useMay('editor') && (status === 'draft' || status === 'scheduled')
  const checked = useAsk('preflightDraft', { params: { id } }, { enabled })
  const draft = useAsk('getDraft', { params: { id } }, { enabled })
  const toLines = useFindingLines()
  const error = checked.error ?? draft.error
  // The user does not agree to old findings: the problems may be mended, or worse, by now.
  const isChecking = enabled && (checked.isFetching || draft.isPending)
  return {
    /** Null while the check runs, or when it failed. */
    lines:
      checked.data && draft.data && !isChecking
        ? toLines(checked.data, draft.data, readBlocks(draft.data.content))
        : null,
    isChecking,
    error: isChecking ? null : error,
    again: () => void checked.refetch(),
  }
}

type Agreement = ReturnType<typeof useAgreement>

/** `isLater`: the user may mend until then what the service refuses to send now. */
export function useAgreement(run: CampaignRun, { isLater }: { isLater: boolean }) {
  const review = useReview(run)
  const bad = review.lines?.filter(({ tone }) => tone === 'bad') ?? []
  const stopping = isLater ? [] : bad.filter(({ stops }) => stops)
  const wrong = bad.filter((line) => !stopping.includes(line))
  // The user agrees to these findings, and to no later ones.
  const what = review.error ? 'unchecked' : wrong.map(({ id }) => id).join('\n')
  const [agreedTo, setAgreedTo] = useState<string | null>(null)
  const agreed = agreedTo === what
  const needsNone = review.lines !== null && wrong.length === 0
  const isClear = !review.isChecking && stopping.length === 0 && (agreed || needsNone)
  return {
    review,
    /** The service sends in spite of these problems. */
    wrong,
    /** The service refuses the send until the user mends these problems. */
    stopping,
    agreed,
    agree: (yes: boolean) => setAgreedTo(yes ? what : null),
    /** The user may go on: there are no problems, or the user agreed to them. */
    isClear,
  }
}
