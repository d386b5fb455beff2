/**
 * The question before a send: to how many it goes is read now, agreed to by the button that names it, and held to by the service;
 * what a check finds wrong is agreed to by itself.
 */
import { Alert, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { api } from '../../../api/client.ts'
import { Refusal } from '../../../api/refusal.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { notifyDone } from '../../../parts/notify.ts'
import { Agree } from './Agree.tsx'
import { Reached } from './Reach.tsx'
import { useFigures } from './use-figures.ts'
import { useRefresh } from './use-refresh.ts'
import { useAgreement } from './use-review.ts'

interface SendDialogProps {
  flight: CampaignRun
  opened: boolean
  onClose: () => void
}

export function SendDialog({ flight, opened, onClose }: SendDialogProps): ReactNode {
  const { t } = useTranslation('flight')
  return (
    <Modal opened={opened} onClose={onClose} title={t('ask_send', { name: flight.campaign.name })} size="lg">
      {opened && <Question flight={flight} onClose={onClose} />}
    </Modal>
  )
}

function Question({ flight, onClose }: Omit<SendDialogProps, 'opened'>): ReactNode {
  const { t } = useTranslation('flight')
  const { count } = useFigures()
  const { id, subject, from } = flight.campaign
  const reach = useAsk('getCampaignReach', { params: { id } })
  const agreement = useAgreement(flight, { isLater: false })
  const refresh = useRefresh()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  // What was read before this dialog was opened is not what is agreed to.
  const known = reach.isFetching ? undefined : reach.data
  const send = async (confirmRecipients: number): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      await api.launchCampaign({ params: { id }, body: { confirmRecipients } })
      await refresh()
      notifyDone(t('done_send'))
      onClose()
    } catch (refusal) {
      setError(refusal)
      await reach.refetch()
    }
    setBusy(false)
  }
  const differs = numberThatDiffers(error)
  // What the service would freeze is what counts, whatever was read beside it.
  const agreed = differs?.now ?? known?.reachable ?? 0
  return (
    <Stack>
      <Text size="sm">{t('sendWhat', { subject, from: from ?? t('noSender') })}</Text>
      {known ? (
        <Reached reach={known} />
      ) : reach.error ? (
        <Failure error={reach.error} retry={() => void reach.refetch()} />
      ) : (
        <Skeleton height={80} />
      )}
      <Agree agreement={agreement} verb="sendAllTheSame" />
      <Text size="sm" c="dimmed">
        {t('sendThen')}
      </Text>
      {differs === null ? (
        <Failure error={error} />
      ) : (
        <Alert color="yellow" role="alert" title={t('differs')}>
          {t('differsWhat', { agreed: count(differs.agreed), now: count(differs.now) })}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('notNow')}
        </Button>
        <Button loading={busy} disabled={!known || agreed === 0 || !agreement.isClear} onClick={() => void send(agreed)}>
          {known ? t(agreed === 1 ? 'sendToOne' : 'sendTo', { n: count(agreed) }) : t('counting')}
        </Button>
      </Group>
    </Stack>
  )
}

function numberThatDiffers(error: unknown): { agreed: number; now: number } | null {
  if (!(error instanceof Refusal) || error.details['reason'] !== 'recipients_differ') return null
  return { agreed: Number(error.details['confirmed']), now: Number(error.details['recipients']) }
}
