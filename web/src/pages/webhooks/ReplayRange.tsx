/** Sends the events of a time range again, after it has shown how many deliveries that is. */
import { Button, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useRange } from '../../parts/use-range.ts'
import { fieldOfMoment, momentOfField } from '../../parts/local-day.ts'

export function ReplayRange({ health }: { health: WebhookHealth }) {
  const { t } = useTranslation('webhooks')
  const [asks, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" leftSection={<Icon name="refresh" size={16} />} onClick={open}>
        {t('replayRange')}
      </Button>
      {asks && <Question health={health} onClose={close} />}
    </>
  )
}

const dayMs = 86_400_000

/** The range begins when the webhook began to fail, or a day ago. */
const sinceWhen = ({ failing_since: since }: WebhookHealth): Date =>
  new Date(since ? Date.parse(since) - 60_000 : Date.now() - dayMs)

function Question({ health, onClose }: { health: WebhookHealth; onClose: () => void }) {
  const { t, i18n } = useTranslation('webhooks')
  const { id, name } = health.webhook
  const [moments, setMoments] = useState(() => ({ from: fieldOfMoment(sinceWhen(health)), to: '' }))
  const { from, to } = moments
  const fields = useRange(moments, setMoments)
  const [only, setOnly] = useState<'undelivered' | 'all'>('undelivered')
  const range = {
    from: momentOfField(from) ?? '',
    ...(momentOfField(to) !== null && { to: momentOfField(to) ?? '' }),
    only,
  }
  const { data, error, isFetching } = useAsk(
    'countWebhookReplay',
    { params: { id }, query: range },
    { enabled: range.from !== '' },
  )
  const { mutateAsync } = useAct('replayWebhookEvents', {
    refresh: ['listWebhookJournal', 'listWebhookHealth', 'countWebhookReplay'],
    done: ({ queued }) => t('replayedCount', { count: queued.toLocaleString(i18n.language) }),
  })
  const count =
    data === undefined
      ? '…'
      : `${data.count.toLocaleString(i18n.language)}${data.at_least ? '+' : ''}`
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t('replayTitle', { name })}
      verb={t('replayVerb', { count })}
      disabled={data?.count === 0}
      onConfirm={() => mutateAsync({ params: { id }, body: range })}
    >
      <Stack>
        <TextInput type="datetime-local" label={t('from')} required {...fields.from} />
        <TextInput type="datetime-local" label={t('to')} description={t('toWhy')} {...fields.to} />
        <Radio.Group
          label={t('which')}
          value={only}
          onChange={(value) => setOnly(value === 'all' ? 'all' : 'undelivered')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="undelivered" label={t('undelivered')} description={t('undeliveredWhy')} />
            <Radio value="all" label={t('allEvents')} description={t('allEventsWhy')} />
          </Stack>
        </Radio.Group>
        <Text fw={550} aria-live="polite" aria-busy={isFetching}>
          {t('replayCount', { count })}
        </Text>
        {health.disabled && <Text>{t('replayDisabled')}</Text>}
        <Failure error={error} />
      </Stack>
    </Confirm>
  )
}
