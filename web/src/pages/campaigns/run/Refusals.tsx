/**
 * The section groups the refusals of a campaign by the cause that they name, each with what mends
 * it.
 */
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { RefusalNotice } from '../../../parts/RefusalNotice.tsx'
import { Section } from '../../../parts/Section.tsx'
import { useFigures } from './use-figures.ts'

export function Refusals({ run: { refusals } }: { run: CampaignRun }) {
  const { t } = useTranslation('run')
  const { count } = useFigures()
  if (refusals.length === 0) return null
  return (
    <Section title={t('refusals')} about={t('refusalsAbout')}>
      {refusals.map((refusal) => (
        <RefusalNotice
          key={refusal.cause}
          refusal={refusal}
          beside={t('refusedTimes', { count: refusal.count, n: count(refusal.count) })}
        />
      ))}
    </Section>
  )
}
