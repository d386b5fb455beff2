/** Makes a new draft of a campaign: the way to send something again, since a campaign is sent once. */
import { Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { api } from '../../../api/client.ts'
import { FormDialog, type DialogProps } from '../../../parts/FormDialog.tsx'
import { useGo } from '../../../parts/links.tsx'
import { useRefresh } from './use-refresh.ts'

export function DuplicateDialog({ run: { campaign }, ...dialog }: DialogProps & { run: CampaignRun }) {
  const { t } = useTranslation('run')
  const refresh = useRefresh()
  const go = useGo()
  return (
    <FormDialog
      {...dialog}
      title={t('ask_duplicate')}
      verb={t('act_duplicate')}
      initial={{ name: t('copyOf', { name: campaign.name }).slice(0, 120) }}
      onSubmit={async (values) => {
        const name = values.name.trim()
        const made = await api.duplicateCampaign({ params: { id: campaign.id }, body: name === '' ? {} : { name } })
        await refresh()
        await go(`campaigns/${made.campaign.id}/edit`)
      }}
    >
      {(form) => (
        <>
          <Text>{t('what_duplicate')}</Text>
          <TextInput label={t('nameOfCopy')} {...form.text('name')} maxLength={120} data-autofocus />
        </>
      )}
    </FormDialog>
  )
}
