/** Whether the workspace may send, and how near the rates are to where sending is suspended. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { PaperSection } from '../../parts/Section.tsx'
import { Status } from '../../parts/Status.tsx'
import { Meter } from './Meter.tsx'
import { sayCount, sayShare, sayShareBelow, type Overview } from './overview.ts'

export function SendingCard({ sending }: { sending: Overview['sending'] }) {
  const { t, i18n } = useTranslation('overview')
  const isActive = sending.status === 'active'
  const rates = [
    { label: t('bounceRate'), rate: sending.bounce_rate, max: sending.bounce_rate_max, part: sending.bounces },
    { label: t('complaintRate'), rate: sending.complaint_rate, max: sending.complaint_rate_max, part: sending.complaints },
  ]
  return (
    <PaperSection
      title={t('sending')}
      size="h2"
      gap="md"
      beside={<Status tone={isActive ? 'good' : 'bad'}>{isActive ? t('active') : t('suspended')}</Status>}
    >
      {rates.map(({ label, rate, max, part }) => (
        <Meter
          key={label}
          label={label}
          value={sayShareBelow(rate, max, i18n.language)}
          beside={t('ofAtMost', { max: sayShare(max, i18n.language) })}
          share={rate / max}
          below={t('rateOf', {
            count: sending.hand_offs,
            part: sayCount(part, i18n.language),
            whole: sayCount(sending.hand_offs, i18n.language),
          })}
        />
      ))}
      {sending.hand_offs < sending.hand_offs_min && (
        <Text size="xs" c="dimmed">
          {t('belowFloor', { floor: sayCount(sending.hand_offs_min, i18n.language) })}
        </Text>
      )}
    </PaperSection>
  )
}
