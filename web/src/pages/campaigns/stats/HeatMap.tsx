/** Shows the sent mail on demand, with each link's share of the clicks drawn on it. */
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { addressOf } from '../../../api/client.ts'
import { languageNow } from '../../../language.ts'
import { MailFrame } from '../../../parts/MailFrame.tsx'
import { PaperSection } from '../../../parts/Section.tsx'

export function HeatMap({ id, results: { tracked } }: { id: string; results: CampaignResults }) {
  const { t } = useTranslation('results')
  const query = { language: languageNow() }
  const address = addressOf('getCampaignHeatMap', { params: { id }, query })
  const addressWithImages = addressOf('getCampaignHeatMap', { params: { id }, query: { ...query, images: '1' } })
  return (
    <PaperSection gap="md" title={t(tracked.clicks ? 'heatMap' : 'mailAsSent')} about={tracked.clicks && t('heatMapAbout')}>
      <MailFrame address={address} addressWithImages={addressWithImages} title={t('heatMap')} height="70vh" />
    </PaperSection>
  )
}
