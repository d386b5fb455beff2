/** The list shows the user's sessions; the user ends one of them, or all others at once. */
import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { AccountSection } from './AccountSection.tsx'

export function Sessions() {
  const { t } = useTranslation('users')
  const sessions = useAsk('listSessions')
  const end = useAct('endSession', { refresh: ['listSessions'] })
  const endOthers = useAct('endOtherSessions', { refresh: ['listSessions'] })
  const others = sessions.data && sessions.data.data.length > 1 && (
    <ConfirmButton
      label={t('endOthers')}
      size="xs"
      title={t('endOthers')}
      onConfirm={() => endOthers.mutateAsync({})}
    >
      {t('endOthersWhat')}
    </ConfirmButton>
  )
  return (
    <AccountSection title={t('sessions')} about={t('sessionsAbout')} beside={others}>
      <Loaded of={sessions} height={72}>
        {({ data }) => (
          <List listStyleType="none" spacing="sm">
            {data.map(({ id, user_agent: userAgent, ip, seen_at: seenAt, current }) => (
              <List.Item
                key={id}
                styles={{ itemWrapper: { width: '100%' }, itemLabel: { width: '100%' } }}
              >
                <Group justify="space-between">
                  <Stack gap={0} miw={0}>
                    <Group gap="xs">
                      <Text size="md" fw={550} title={userAgent}>
                        {nameBrowser(userAgent) ?? t('unknownBrowser')}
                      </Text>
                      {current && <Status tone="good">{t('thisOne')}</Status>}
                    </Group>
                    <Text c="dimmed" component="div">
                      {ip} · {t('lastUsed')} <Moment at={seenAt} />
                    </Text>
                  </Stack>
                  {!current && (
                    <Button
                      size="xs"
                      variant="default"
                      loading={end.isPending && end.variables.params.id === id}
                      onClick={() => end.mutate({ params: { id } })}
                      aria-label={t('endNamed', {
                        name: nameBrowser(userAgent) ?? t('unknownBrowser'),
                        ip,
                      })}
                    >
                      {t('end')}
                    </Button>
                  )}
                </Group>
              </List.Item>
            ))}
          </List>
        )}
      </Loaded>
      <Failure error={end.error} />
    </AccountSection>
  )
}

const browsers: [string, RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
]
const systems: [string, RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]

/** A browser and its system in two words. Null means an unknown browser. */
function nameBrowser(userAgent: string): string | null {
  const result = [browsers, systems].flatMap(
    (list) => list.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? [],
  )
  return result.length === 0 ? null : result.join(', ')
}
