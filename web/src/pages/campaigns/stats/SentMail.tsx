/** The section shows the mail as it was sent, each link with its share of the clicks. */
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { addressOf } from '../../../api/client.ts'
import { languageNow } from '../../../language.ts'
import { MailFrame } from '../../../parts/MailFrame.tsx'
import { PaperSection } from '../../../parts/Section.tsx'

export function SentMail({ results: { campaign, tracked } }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  const params = { id: campaign.id }
  const query = { language: languageNow() }
  const address = addressOf('getCampaignHeatMap', { params, query })
  const addressWithImages = addressOf('getCampaignHeatMap', {
    params,
    query: { ...query, images: '1' },
  })
  return (
    <PaperSection
      gap="md"
      title={t(tracked.clicks ? 'heatMap' : 'mailAsSent')}
      about={tracked.clicks && t('heatMapAbout')}
    >
      <MailFrame address={address} addressWithImages={addressWithImages} title={t('heatMap')} />
    </PaperSection>
  )
}
