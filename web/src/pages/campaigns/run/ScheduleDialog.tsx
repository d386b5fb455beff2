/** Sets when a campaign leaves: typed in the reader's zone, read back in full in theirs and in UTC before it is agreed to. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { api } from '../../../api/client.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { notifyDone } from '../../../parts/notify.ts'
import { Agree } from './Agree.tsx'
import { BothZones, ownZone } from './BothZones.tsx'
import { useRefresh } from './use-refresh.ts'
import { useAgreement } from './use-review.ts'

interface ScheduleDialogProps {
  flight: CampaignRun
  opened: boolean
  onClose: () => void
}

export function ScheduleDialog({ flight, opened, onClose }: ScheduleDialogProps): ReactNode {
  const { t } = useTranslation('flight')
  return (
    <Modal opened={opened} onClose={onClose} title={t('ask_schedule', { name: flight.campaign.name })}>
      {opened && <Question flight={flight} onClose={onClose} />}
    </Modal>
  )
}

function Question({ flight, onClose }: Omit<ScheduleDialogProps, 'opened'>): ReactNode {
  const { t } = useTranslation('flight')
  const { id, scheduledAt } = flight.campaign
  const agreement = useAgreement(flight, { isLater: true })
  const refresh = useRefresh()
  const [typed, setTyped] = useState(toLocal(scheduledAt === null ? tomorrow() : new Date(scheduledAt)))
  const [openedAtMs] = useState(() => Date.now())
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const time = new Date(typed)
  const at = Number.isNaN(time.getTime()) ? null : time.toISOString()
  const isPast = at !== null && time.getTime() < openedAtMs
  const schedule = async (): Promise<void> => {
    if (at === null) return
    setBusy(true)
    setError(null)
    try {
      await api.scheduleCampaign({ params: { id }, body: { scheduledAt: at } })
      await refresh()
      notifyDone(t('done_schedule'))
      onClose()
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void schedule()
      }}
    >
      <Stack>
        <TextInput
          type="datetime-local"
          label={t('when')}
          description={t('whenZone', { zone: ownZone() })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={isPast ? t('past') : null}
          required
          withAsterisk={false}
          data-autofocus
        />
        {at !== null && !isPast && (
          <div aria-live="polite">
            <BothZones at={at} />
          </div>
        )}
        <Agree agreement={agreement} verb="scheduleAllTheSame" />
        <Text size="sm" c="dimmed">
          {t('scheduleThen')}
        </Text>
        <Failure error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('notNow')}
          </Button>
          <Button type="submit" loading={busy} disabled={at === null || isPast || !agreement.isClear}>
            {t('act_schedule')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Nine in the morning. */
function tomorrow(): Date {
  const day = new Date()
  day.setDate(day.getDate() + 1)
  day.setHours(9, 0, 0, 0)
  return day
}

/** As the field writes it: local, to the minute. */
function toLocal(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}T${two(time.getHours())}:${two(time.getMinutes())}`
}
