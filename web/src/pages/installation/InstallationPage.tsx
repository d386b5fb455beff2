/**
 * The page of an owner of every workspace: what fails, slows or waits in the installation, and its
 * disk.
 */
import { Alert, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { DiskCard } from './DiskCard.tsx'
import { InstallationNotices } from './InstallationNotices.tsx'

export function InstallationPage() {
  const { t } = useTranslation('installation')
  const read = useAsk('getInstallation', {}, { poll: 20_000 })
  return (
    <Page title={t('installation')} about={t('about')}>
      <Loaded of={read}>
        {({ state }) =>
          state === null ? (
            <Alert color="gray" icon={<Icon name="help" />}>
              {t('ownersOfAll')}
            </Alert>
          ) : (
            <Stack gap="md">
              <InstallationNotices state={state} />
              {state.disk && <DiskCard disk={state.disk} />}
            </Stack>
          )
        }
      </Loaded>
    </Page>
  )
}
