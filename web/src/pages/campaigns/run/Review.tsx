/**
 * Shows the findings of a check before the send, each with a link to its place, beside the mail as
 * recipients see it.
 */
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { PageLink } from '../../../parts/links.tsx'
import { Loaded } from '../../../parts/Loaded.tsx'
import { PaperSection } from '../../../parts/Section.tsx'
import { spotId } from '../editor/find-spot.ts'
import type { FindingLine } from '../editor/finding-lines.ts'
import { CheckAgain, Checking, Findings } from '../editor/Findings.tsx'
import { Preview } from '../editor/Preview.tsx'
import { Verdict } from '../editor/Verdict.tsx'
import { useReview } from './Agree.tsx'

export function Review({ run }: { run: CampaignRun }) {
  const { t } = useTranslation('drafts')
  const review = useReview(run)
  const mayEdit = useMay('editor')
  const { lines, isChecking, error, again } = review
  if (!mayEdit) return null
  return (
    <PaperSection
      title={t('checkTitle')}
      beside={<CheckAgain disabled={isChecking} onClick={again} />}
    >
      {isChecking && <Checking />}
      <Failure error={error} retry={again} />
      {lines && <ReviewLines lines={lines} run={run} />}
    </PaperSection>
  )
}

function ReviewLines({ lines, run }: { lines: readonly FindingLine[]; run: CampaignRun }) {
  const { t } = useTranslation('drafts')
  const { id, status } = run.campaign
  return (
    <>
      <Verdict lines={lines} />
      <Findings
        lines={lines}
        renderWay={({ spot, text }) => {
          const way = {
            size: 'sm',
            flex: 'none',
            'aria-label': t('showWhere', { what: text }),
          } as const
          if (spot && 'page' in spot)
            return (
              <PageLink to={spot.page} {...way}>
                {t('show')}
              </PageLink>
            )
          if (!spot || status !== 'draft') return null
          return (
            <PageLink to={`campaigns/${id}/edit`} search={{ show: spotId(spot) }} {...way}>
              {t('show')}
            </PageLink>
          )
        }}
      />
    </>
  )
}

/** The service renders the mail for one recipient. */
export function Mail({ id }: { id: string }) {
  const { t } = useTranslation('drafts')
  const draft = useAsk('getDraft', { params: { id } })
  return (
    <PaperSection title={t('preview')}>
      <Loaded of={draft}>
        {({ version }) => <Preview id={id} version={version} isSaved startsWithReader />}
      </Loaded>
    </PaperSection>
  )
}
