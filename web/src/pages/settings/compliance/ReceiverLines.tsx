/**
 * One line for each large receiver: how much of what it demands of this domain is met, and whether
 * it counts it as a bulk sender.
 */
import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { DomainCompliance } from '../../../../../src/contract/workspace/compliance.ts'
import { keyOf } from '../../../parts/key-of.ts'
import { sayDay } from '../../../parts/say-time.ts'
import { Status } from '../../../parts/Status.tsx'

type ReceiverRules = DomainCompliance['receivers'][number]

export function ReceiverLines({ compliance }: { compliance: DomainCompliance }) {
  return (
    <Paper p="md">
      <Stack gap="sm">
        {compliance.receivers.map((rules) => (
          <ReceiverLine key={rules.receiver} rules={rules} requirements={compliance.requirements} />
        ))}
      </Stack>
    </Paper>
  )
}

function ReceiverLine({
  rules,
  requirements,
}: {
  rules: ReceiverRules
  requirements: DomainCompliance['requirements']
}) {
  const { t, i18n } = useTranslation('settings')
  const { receiver, source, bulk_since: since, highest } = rules
  const name = t(keyOf('receiver', receiver))
  const demanded = requirements.filter(({ demanded_by: by }) =>
    by.some((item) => item.receiver === receiver && item.of !== 'advised'),
  )
  const missing = demanded.filter(({ state }) => state === 'not_met').length
  const unknown = demanded.filter(({ state }) => state === 'unknown').length
  const dayOf = (day: string): string => sayDay(new Date(day), i18n.language, 'UTC')
  return (
    <Group role="group" aria-label={name} gap="xs">
      <Text fw={600} miw={90}>
        {name}
      </Text>
      {missing > 0 ? (
        <Status tone="bad">{t('receiverMissing', { count: missing })}</Status>
      ) : (
        <Status tone={unknown > 0 ? 'quiet' : 'good'}>
          {unknown > 0 ? t('receiverUnknown', { count: unknown }) : t('receiverMet')}
        </Status>
      )}
      <Text size="xs" c="dimmed">
        {since !== null
          ? t('bulkSince', { day: dayOf(since) })
          : highest === null
            ? t('noVolume')
            : t('belowBulk', {
                mails: highest.mails.toLocaleString(i18n.language),
                day: dayOf(highest.day),
              })}
      </Text>
      <Anchor href={source} target="_blank" rel="noreferrer" size="xs">
        {t('receiverRules')}
      </Anchor>
    </Group>
  )
}
