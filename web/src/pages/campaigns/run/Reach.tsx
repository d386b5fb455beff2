/**
 * The counts show whom a campaign would reach now, and whom it holds back and why. The send dialog
 * has them too.
 */
import { List, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../../api/client.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { Loaded } from '../../../parts/Loaded.tsx'
import { PaperSection } from '../../../parts/Section.tsx'
import { useFigures } from './use-figures.ts'

export function Reach({ id }: { id: string }) {
  const { t } = useTranslation('run')
  const reach = useAsk('getCampaignReach', { params: { id } })
  return (
    <PaperSection title={t('reach')}>
      <Loaded of={reach} height={60}>
        {(data) => <Reached reach={data} />}
      </Loaded>
    </PaperSection>
  )
}

export function Reached({ reach }: { reach: Got<'getCampaignReach'> }) {
  const { t } = useTranslation('run')
  const { count, countedUpTo } = useFigures()
  const { reachable, notReached, quota, sending } = reach
  return (
    <Stack gap={6}>
      <Text size="md">
        {t(reachable === 1 ? 'reachableOne' : 'reachable', { n: count(reachable) })}
      </Text>
      {notReached.length > 0 && (
        <>
          <Text c="dimmed">{t('notReached')}</Text>
          <List size="sm">
            {notReached.map(({ reason, name, count: total, more }) => (
              <List.Item key={`${reason} ${name}`}>
                {countedUpTo(total, more)} ·{' '}
                {t(
                  `notReached_${reason.replace('suppressed: ', 'suppressed_').replaceAll(' ', '_')}`,
                  // The name of this one is a number of days.
                  {
                    name,
                    defaultValue: reason,
                    ...(reason === 'excluded_received' && { count: Number(name) }),
                  },
                )}
              </List.Item>
            ))}
          </List>
        </>
      )}
      {quota.remaining !== null && quota.remaining < reachable && (
        <Text c="red.9" role="alert">
          {t('quotaShort', { remaining: count(quota.remaining), needed: count(reachable) })}
        </Text>
      )}
      {sending === 'suspended' && (
        <Text c="red.9" role="alert">
          {t('sendingSuspended')}
        </Text>
      )}
    </Stack>
  )
}
