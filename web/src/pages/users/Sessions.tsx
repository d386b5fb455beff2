/** Where the person is signed in, each to be ended, or all others at once. */
import { Button, Group, List, Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { nameBrowser } from './name-browser.ts'
import { AccountSection } from './AccountSection.tsx'

export function Sessions(): ReactNode {
  const { t } = useTranslation('people')
  const { data, error, refetch } = useAsk('listSessions')
  const end = useAct('endSession', { refresh: ['listSessions'] })
  const endOthers = useAct('endOtherSessions', { refresh: ['listSessions'] })
  const [isAsking, setAsking] = useState(false)
  const hasOthers = data !== undefined && data.data.length > 1
  const beside = hasOthers && (
    <Button size="xs" variant="default" onClick={() => setAsking(true)}>
      {t('endOthers')}
    </Button>
  )
  return (
    <AccountSection title={t('sessions')} about={t('sessionsAbout')} beside={beside}>
      {!data && (error ? <Failure error={error} retry={() => void refetch()} /> : <Skeleton height={72} />)}
      <List listStyleType="none" spacing="sm">
        {data?.data.map(({ id, user_agent: userAgent, ip, seen_at: seenAt, current }) => (
          <List.Item key={id} styles={{ itemWrapper: { width: '100%' }, itemLabel: { width: '100%' } }}>
            <Group justify="space-between">
              <Stack gap={0} miw={0}>
                <Group gap="xs">
                  <Text fw={550} title={userAgent}>
                    {nameBrowser(userAgent) ?? t('unknownBrowser')}
                  </Text>
                  {current && <Status tone="good">{t('thisOne')}</Status>}
                </Group>
                <Text size="sm" c="dimmed" component="div">
                  {ip} · {t('lastUsed')} <Moment at={seenAt} />
                </Text>
              </Stack>
              {!current && (
                <Button
                  size="xs"
                  variant="default"
                  loading={end.isPending && end.variables.params.id === id}
                  onClick={() => end.mutate({ params: { id } })}
                  aria-label={t('endNamed', { name: nameBrowser(userAgent) ?? t('unknownBrowser'), ip })}
                >
                  {t('end')}
                </Button>
              )}
            </Group>
          </List.Item>
        ))}
      </List>
      <Failure error={end.error} />
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t('endOthers')}
        verb={t('endOthers')}
        onConfirm={() => endOthers.mutateAsync({})}
      >
        {t('endOthersWhat')}
      </Confirm>
    </AccountSection>
  )
}
