/** Makes a new draft of a campaign: the way to send something again, since a campaign is sent once. */
import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { api } from '../../../api/client.ts'
import { Confirm } from '../../../parts/Confirm.tsx'
import { useRefresh } from './use-refresh.ts'

interface DuplicateDialogProps {
  flight: CampaignRun
  opened: boolean
  onClose: () => void
  onMade: (id: string) => void
}

export function DuplicateDialog({ flight: { campaign }, opened, onClose, onMade }: DuplicateDialogProps): ReactNode {
  const { t } = useTranslation('flight')
  const [name, setName] = useState(t('copyOf', { name: campaign.name }).slice(0, 120))
  const refresh = useRefresh()
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t('ask_duplicate')}
      verb={t('act_duplicate')}
      onConfirm={async () => {
        const given = name.trim()
        const made = await api.duplicateCampaign({ params: { id: campaign.id }, body: given === '' ? {} : { name: given } })
        await refresh()
        onMade(made.campaign.id)
      }}
    >
      <Stack>
        <Text size="sm">{t('what_duplicate')}</Text>
        <TextInput
          label={t('nameOfCopy')}
          value={name}
          maxLength={120}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
      </Stack>
    </Confirm>
  )
}
