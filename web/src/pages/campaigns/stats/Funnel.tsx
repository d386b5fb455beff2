/** How far the mail went, from the frozen list to the clicks, and beside it what went wrong. */
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { PaperSection } from '../../../parts/Section.tsx'
import { Bars, type BarRow } from './Bars.tsx'

export function Funnel({ results }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  const { counts, tracked, campaign } = results
  const who = (only: string) => ({ to: { to: `campaigns/${campaign.id}/recipients`, search: { only } } })
  const of = (part: number): number | null => (counts.recipients === 0 ? null : part / counts.recipients)
  const row = (
    key: 'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained' | 'unsubscribed',
    tone: BarRow['tone'],
  ): BarRow => ({
    ...{ key, label: t(key), count: counts[key], share: of(counts[key]) },
    ...(tone && { tone }),
    ...who(key),
  })
  const rows: BarRow[] = [
    {
      ...{ key: 'recipients', label: t('recipients'), count: counts.recipients, share: of(counts.recipients), tone: 'quiet' },
      to: { to: `campaigns/${campaign.id}/recipients`, search: {} },
    },
    row('delivered', 'good'),
    ...(tracked.opens || tracked.clicks ? [row('opened', undefined)] : []),
    ...(tracked.clicks ? [row('clicked', undefined)] : []),
    row('bounced', 'bad'),
    row('complained', 'bad'),
    row('unsubscribed', 'bad'),
  ]
  return (
    <PaperSection gap="md" title={t('funnel')} about={<FunnelAbout results={results} />}>
      <Bars rows={rows} headers={[t('stage'), t('people'), t('ofRecipients')]} />
    </PaperSection>
  )
}

function FunnelAbout({ results: { tracked } }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  if (!tracked.opens && !tracked.clicks) return t('nothingTracked')
  if (!tracked.opens) return t('opensNotTracked')
  return tracked.clicks ? t('funnelAbout') : t('clicksNotTracked')
}
