/**
 * Shows the findings of a check before the send, each with a link to its place, beside the mail as
 * recipients see it.
 */
import { Anchor } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { PageLink } from '../../../parts/links.tsx'
import { Loaded } from '../../../parts/Loaded.tsx'
import { PaperSection } from '../../../parts/Section.tsx'
import { spotId } from '../editor/find-spot.ts'
import { CheckAgain, Checking, Findings, Verdict, type FindingLine } from '../editor/Findings.tsx'
import { Preview } from '../editor/Preview.tsx'
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
  const [isWhole, showWhole] = useState(false)
  const good = lines.filter(({ tone }) => tone === 'good').length
  return (
    <>
      <Verdict lines={lines} />
      <Findings
        lines={isWhole ? lines : lines.filter(({ tone }) => tone !== 'good')}
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
      {good > 0 && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          style={{ alignSelf: 'start' }}
          onClick={() => showWhole(!isWhole)}
        >
          {isWhole ? t('checkLess') : t('checkGoodToo', { count: good })}
        </Anchor>
      )}
    </>
  )
}

/** The service renders the mail for one recipient. */
export function Mail({ id }: { id: string }) {
  const { t } = useTranslation('drafts')
  const draft = useAsk('getDraft', { params: { id } })
  return (
    <PaperSection title={t('preview')}>
      <Loaded of={draft}>{({ version }) => <Preview id={id} version={version} isSaved />}</Loaded>
    </PaperSection>
  )
}
