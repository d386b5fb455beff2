/** The section shows what a campaign was opened with. */
import { SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { PaperSection } from '../../../parts/Section.tsx'
import { Bars, type BarRow } from './Bars.tsx'

const kinds = ['device', 'os', 'client'] as const

/** The section counts devices, systems and programs by each recipient's first open. */
export function Audience({ results: { audience } }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  const [kind, setKind] = useState<(typeof kinds)[number]>('device')
  const listed = audience[kind]
  const others = audience.total - listed.reduce((sum, { count }) => sum + count, 0)
  const rows: BarRow[] = [
    ...listed.map(({ label, count, share }) => ({
      key: label,
      label: t(`with_${label}`, { defaultValue: label }),
      count,
      share,
    })),
    // The list has five at most.
    ...(others > 0
      ? [
          {
            key: 'others',
            label: t('others'),
            count: others,
            share: others / audience.total,
            tone: 'quiet' as const,
          },
        ]
      : []),
  ]
  return (
    <PaperSection gap="md" title={t('audience')} about={t('audienceAbout')}>
      <SegmentedControl
        aria-label={t('audience')}
        value={kind}
        onChange={setKind}
        data={kinds.map((value) => ({ value, label: t(value) }))}
      />
      {rows.length === 0 ? (
        <Text c="dimmed">{t('noOpens')}</Text>
      ) : (
        <Bars rows={rows} headers={[t(kind), t('people'), t('ofOpeners')]} />
      )}
    </PaperSection>
  )
}
