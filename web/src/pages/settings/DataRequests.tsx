/** Owners choose here whether contacts may ask on their page for what is stored about them. */
import { Stack, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../../src/contract/workspace/settings.ts'
import { useAct } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Failure } from '../../parts/Failure.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { OnlyOwners } from './OnlyOwners.tsx'

export function DataRequests({ settings }: { settings: Settings }) {
  const { t } = useTranslation('settings')
  const mayChange = useMay('owner')
  const update = useAct('updateSettings', { refresh: ['getSettings'], done: t('saved') })
  return (
    <PaperSection title={t('dataRequests')} about={t('dataRequestsAbout')} size="h2" gap="md">
      <Stack maw={560}>
        <OnlyOwners />
        <Switch
          label={t('dataRequestsAllowed')}
          description={t('dataRequestsWhy')}
          checked={settings.data_requests}
          onChange={(event) =>
            update.mutate({ body: { data_requests: event.currentTarget.checked } })
          }
          disabled={!mayChange || update.isPending}
        />
        <Failure error={update.error} />
      </Stack>
    </PaperSection>
  )
}
