/** Owners choose here whether new campaigns track opens, clicks, both or nothing. */
import { Paper, Stack, Switch, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../../src/contract/workspace/settings.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Failure } from '../../parts/Failure.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { OnlyOwners } from './OnlyOwners.tsx'

export function TrackingPage() {
  const { t } = useTranslation('settings')
  const read = useAsk('getSettings')
  return (
    <Page title={t('tracking')} about={t('trackingAbout')}>
      <Loaded of={read} height={180}>
        {(settings) => <Switches settings={settings} />}
      </Loaded>
    </Page>
  )
}

function Switches({ settings }: { settings: Settings }) {
  const { t } = useTranslation('settings')
  const mayChange = useMay('owner')
  const update = useAct('updateSettings', { refresh: ['getSettings'], done: t('saved') })
  const disabled = !mayChange || update.isPending
  return (
    <Paper>
      <Stack maw="70ch">
        <OnlyOwners />
        <Switch
          label={t('trackOpens')}
          description={t('trackOpensWhy')}
          checked={settings.track_opens}
          onChange={(event) =>
            update.mutate({ body: { track_opens: event.currentTarget.checked } })
          }
          disabled={disabled}
        />
        <Switch
          label={t('trackClicks')}
          description={t('trackClicksWhy')}
          checked={settings.track_clicks}
          onChange={(event) =>
            update.mutate({ body: { track_clicks: event.currentTarget.checked } })
          }
          disabled={disabled}
        />
        <Failure error={update.error} />
        <Text c="dimmed">
          {t('trackingLater')}{' '}
          <PageLink to="settings/domains" underline="always">
            {t('trackingHosts')}
          </PageLink>
        </Text>
      </Stack>
    </Paper>
  )
}
