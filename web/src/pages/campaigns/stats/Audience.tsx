/** What the mail was opened with, by the first open of each: devices, systems, programs. */
import { SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { PaperSection } from '../../../parts/Section.tsx'
import { Bars, type BarRow } from './Bars.tsx'

const kinds = ['device', 'os', 'client'] as const

export function Audience({ results: { audience } }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  const [kind, setKind] = useState<(typeof kinds)[number]>('device')
  const listed = audience[kind]
  const others = audience.total - listed.reduce((sum, { count }) => sum + count, 0)
  const known = (label: string): string =>
    ['Unknown', 'Desktop', 'Mobile', 'Tablet'].includes(label) ? t(`with_${label}`) : label
  const rows: BarRow[] = [
    ...listed.map(({ label, count, share }) => ({ key: label, label: known(label), count, share })),
    // Five at most are listed.
    ...(others > 0
      ? [{ key: 'others', label: t('others'), count: others, share: others / audience.total, tone: 'quiet' as const }]
      : []),
  ]
  return (
    <PaperSection gap="md" title={t('audience')} about={t('audienceAbout')}>
      <SegmentedControl
        aria-label={t('audience')}
        value={kind}
        onChange={(value) => setKind(kinds.find((each) => each === value) ?? 'device')}
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
