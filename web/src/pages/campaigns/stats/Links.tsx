/** The links of the mail, from most to least clicked. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { UserText } from '../../../parts/UserText.tsx'
import { PaperSection } from '../../../parts/Section.tsx'
import { Bars } from './Bars.tsx'

export function Links({ results: { links, tracked } }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  if (!tracked.clicks) return null
  return (
    <PaperSection gap="md" title={t('links')} about={t('linksAbout')}>
      {links.length === 0 ? (
        <Text c="dimmed">{t('noLinks')}</Text>
      ) : (
        <Bars
          headers={[t('link'), t('clicks'), t('ofClicks')]}
          rows={links.map(({ position, url, clicks, share }) => ({
            key: `link-${position}`,
            label: <UserText>{url}</UserText>,
            count: clicks,
            share,
          }))}
        />
      )}
    </PaperSection>
  )
}
