/** Asks before each act that needs no check, and names its effect in numbers. */
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import type {
  CampaignRun,
  CampaignRunAction,
} from '../../../../../src/contract/workspace/campaign-run.ts'
import { useAct } from '../../../api/use-ask.ts'
import { Confirm } from '../../../parts/Confirm.tsx'
import { FormDialog, type DialogProps } from '../../../parts/FormDialog.tsx'
import { useGo } from '../../../parts/links.tsx'
import { notifyDone } from '../../../api/notify.ts'
import { useFigures } from './use-figures.ts'
import { useRefresh } from './use-refresh.ts'

const operations = {
  undo: 'undoCampaignSend',
  unschedule: 'unscheduleCampaign',
  resume: 'resumeCampaign',
  cancel: 'cancelCampaign',
  retry: 'retryFailedRecipients',
  release: 'releaseInDoubtRecipients',
  archive: 'archiveCampaign',
  delete: 'deleteCampaign',
} as const

type PlainAct = keyof typeof operations

export const isPlainAct = (act: CampaignRunAction): act is PlainAct =>
  Object.hasOwn(operations, act)

/** The user cannot undo these acts. */
const grave = new Set<PlainAct>(['cancel', 'release', 'delete'])

/** The dialog of acts that need no more than a yes. */
export function PlainDialog({
  run,
  act,
  isInList = false,
  onClose,
}: {
  run: CampaignRun
  act: PlainAct | null
  /** The reader stays where they are, whatever becomes of the campaign. */
  isInList?: boolean
  onClose: () => void
}) {
  const { t } = useTranslation('run')
  const { count, countedUpTo } = useFigures()
  const refresh = useRefresh()
  // The words stay while the dialog fades.
  const [shown, setShown] = useState<PlainAct>('cancel')
  if (act !== null && act !== shown) setShown(act)
  const { mutateAsync } = useAct(operations[shown])
  const go = useGo()
  const { id, progress, status } = run.campaign
  const unknownRetryable = run.retryable === 0 && run.moreRetryable
  const numbers = {
    pending: count(progress.pending),
    sent: count(progress.sent),
    inDoubt: count(progress.in_doubt),
    retryable: countedUpTo(run.retryable, run.moreRetryable),
  }
  const concerned =
    shown === 'retry' ? run.retryable : shown === 'release' ? progress.in_doubt : progress.pending
  return (
    <Confirm
      // The campaign may reach that state by itself meanwhile: then there is nothing to ask.
      opened={act !== null && run.acts.includes(act)}
      onClose={onClose}
      title={t(`ask_${shown}`)}
      verb={t(`act_${shown}`)}
      danger={grave.has(shown)}
      {...(shown === 'cancel' && { keep: t(status === 'sending' ? 'keepSending' : 'keepPaused') })}
      onConfirm={async () => {
        const answer = await mutateAsync({ params: { id } })
        // Its page would ask for a campaign that is gone.
        if (shown === 'delete' && !isInList) await go('campaigns')
        await refresh()
        notifyDone(t(`done_${shown}`, { n: 'reopened' in answer ? count(answer.reopened) : '' }))
      }}
    >
      <Text>
        {t(shown === 'retry' && unknownRetryable ? 'what_retry_some' : `what_${shown}`, {
          ...numbers,
          count: concerned,
        })}
      </Text>
    </Confirm>
  )
}

/** Copies a campaign into a new draft: a campaign leaves once, so its copy sends the mail again. */
export function DuplicateDialog({
  run: { campaign },
  ...dialog
}: DialogProps & { run: CampaignRun }) {
  const { t } = useTranslation('run')
  const refresh = useRefresh()
  const go = useGo()
  const { mutateAsync } = useAct('duplicateCampaign')
  return (
    <FormDialog
      {...dialog}
      title={t('ask_duplicate')}
      verb={t('act_duplicate')}
      initial={{ name: t('copyOf', { name: campaign.name }).slice(0, 120) }}
      onSubmit={async (values) => {
        const name = values.name.trim()
        const copy = await mutateAsync({
          params: { id: campaign.id },
          body: name === '' ? {} : { name },
        })
        await refresh()
        await go(`campaigns/${copy.campaign.id}/edit`)
      }}
    >
      {(form) => (
        <>
          <Text>{t('what_duplicate')}</Text>
          <TextInput
            label={t('nameOfCopy')}
            {...form.text('name')}
            maxLength={limits.campaignNameMax}
            data-autofocus
          />
        </>
      )}
    </FormDialog>
  )
}
