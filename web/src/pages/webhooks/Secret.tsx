/** Shows the signing secret of a webhook on demand, and replaces it without a gap. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { CopyField } from '../../parts/CopyField.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { ReceiverHelp } from './ReceiverHelp.tsx'

/** The old secret also signs for so many hours. */
const overlaps = ['24', '1', '72', '168', '0'] as const

export function Secret({ health }: { health: WebhookHealth }) {
  const { t } = useTranslation('webhooks')
  const { id, name } = health.webhook
  const [isShown, { open: show, toggle }] = useDisclosure(false)
  const [overlap, setOverlap] = useState<string>(overlaps[0])
  const { data, error, refetch } = useAsk('getWebhook', { params: { id } }, { enabled: isShown })
  const { mutateAsync } = useAct('rotateWebhookSecret', {
    refresh: ['getWebhook', 'listWebhookHealth'],
  })
  const rotate = async (): Promise<void> => {
    await mutateAsync({ params: { id }, query: { overlap_hours: Number(overlap) } })
    show()
  }
  return (
    <Section title={t('secret')}>
      <ReceiverHelp />
      {health.previous_secret_until && (
        <Text component="div">
          {t('bothSecrets')} <Moment at={health.previous_secret_until} exact />
        </Text>
      )}
      {isShown && data && <CopyField value={data.secret} label={t('secret')} wrap />}
      <Failure error={isShown ? error : null} retry={() => void refetch()} />
      <Group>
        <Button variant="default" onClick={toggle} aria-expanded={isShown}>
          {isShown ? t('hideSecret') : t('showSecret')}
        </Button>
        <ConfirmButton
          label={t('rotate')}
          icon="refresh"
          title={t('rotateTitle', { name })}
          onConfirm={rotate}
        >
          <Stack>
            <Text>{t('rotateWhat')}</Text>
            <NativeSelect
              label={t('overlap')}
              description={t('overlapWhy')}
              value={overlap}
              onChange={(event) => setOverlap(event.currentTarget.value)}
              data={overlaps.map((hours) => ({
                value: hours,
                label:
                  hours === '0' ? t('overlapNone') : t('overlapHours', { count: Number(hours) }),
              }))}
            />
          </Stack>
        </ConfirmButton>
      </Group>
    </Section>
  )
}
