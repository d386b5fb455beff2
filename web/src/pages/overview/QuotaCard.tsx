/** What is left of the month's quota. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { PaperSection } from '../../parts/Section.tsx'
import { sayDay } from '../../parts/say-time.ts'
import { Meter } from './Meter.tsx'
import { sayCount, type Overview } from './overview.ts'

export function QuotaCard({ quota }: { quota: Overview['quota'] }) {
  const { t, i18n } = useTranslation('overview')
  const say = (count: number): string => sayCount(count, i18n.language)
  const { limit, used, remaining } = quota
  const date = sayDay(new Date(quota.resets_at), i18n.language, 'UTC')
  return (
    <PaperSection title={t('quota')} size="h2" gap="md">
      {limit === null || remaining === null ? (
        <Text>{t('quotaNone', { used: say(used) })}</Text>
      ) : (
        <Meter
          label={t('quotaLeft', { count: remaining })}
          value={say(used)}
          beside={`/ ${say(limit)}`}
          share={limit === 0 ? 1 : used / limit}
          below={remaining === 0 ? t('quotaEmpty') : undefined}
        />
      )}
      {quota.workspaces > 1 && <Text>{t('quotaShared', { count: quota.workspaces - 1 })}</Text>}
      <Text size="xs" c="dimmed">
        {t('resets', { date })} · {t('plan', { plan: quota.plan })}
      </Text>
    </PaperSection>
  )
}
