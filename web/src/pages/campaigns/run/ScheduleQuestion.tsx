/**
 * The user sets the time of a campaign in their own zone; the dialog repeats it in full there and
 * in UTC.
 */
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { useAct } from '../../../api/use-ask.ts'
import { Form } from '../../../parts/Form.tsx'
import { fieldOfMoment, momentOfField } from '../../../parts/local-day.ts'
import { notifyDone } from '../../../api/notify.ts'
import { useForm } from '../../../parts/use-form.ts'
import { Agree, useAgreement } from './Agree.tsx'
import { BothZones, ownZone } from './CampaignFacts.tsx'
import { useRefresh } from './use-refresh.ts'

export function ScheduleQuestion({ run, onClose }: { run: CampaignRun; onClose: () => void }) {
  const { t } = useTranslation('run')
  const { id, scheduledAt } = run.campaign
  const agreement = useAgreement(run, { isLater: true })
  const refresh = useRefresh()
  const { mutateAsync: schedule } = useAct('scheduleCampaign')
  const [openedAtMs] = useState(() => Date.now())
  const initial = fieldOfMoment(scheduledAt === null ? tomorrow() : new Date(scheduledAt))
  const form = useForm({ scheduledAt: initial }, async (values) => {
    const moment = momentOfField(values.scheduledAt)
    if (moment === null) return
    await schedule({ params: { id }, body: { scheduledAt: moment } })
    await refresh()
    notifyDone(t('done_schedule'))
    onClose()
  })
  const field = form.text('scheduledAt')
  const at = momentOfField(field.value)
  const isPast = at !== null && Date.parse(at) < openedAtMs
  return (
    <Form
      form={form}
      verb={t('act_schedule')}
      disabled={at === null || isPast || !agreement.isClear}
      onCancel={onClose}
      keep={t('notNow')}
    >
      <TextInput
        type="datetime-local"
        label={t('when')}
        description={t('whenZone', { zone: ownZone() })}
        {...field}
        error={isPast ? t('past') : field.error}
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
      <Text c="dimmed">{t('scheduleThen')}</Text>
    </Form>
  )
}

/** Nine in the morning. */
function tomorrow(): Date {
  const day = new Date()
  day.setDate(day.getDate() + 1)
  day.setHours(9, 0, 0, 0)
  return day
}
