/**
 * Owners set the workspace's name, contact, postal address and rules here; the page also shows its
 * ids and its provider.
 */
import { Paper, Stack, Text, TextInput, Textarea } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { settingLimits } from 'virtual:contract'
import type { Settings } from '../../../../src/contract/workspace/settings.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Form } from '../../parts/Form.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { useForm } from '../../parts/use-form.ts'
import { keyOf } from '../../parts/key-of.ts'
import { ApprovalRule } from './ApprovalRule.tsx'
import { DataRequests } from './DataRequests.tsx'
import { OnlyOwners } from './OnlyOwners.tsx'
import { SettingFacts } from './SettingFacts.tsx'

export function GeneralPage() {
  const { t } = useTranslation('settings')
  const read = useAsk('getSettings')
  return (
    <Page title={t('general')} about={t('generalAbout')}>
      <Loaded of={read} height={320}>
        {(settings) => (
          <Stack gap="lg">
            <Identity key={settings.id} settings={settings} />
            <ApprovalRule />
            <DataRequests settings={settings} />
            <About settings={settings} />
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

function Identity({ settings }: { settings: Settings }) {
  const { t } = useTranslation('settings')
  const mayChange = useMay('owner')
  const { mutateAsync } = useAct('updateSettings', {
    refresh: ['getSettings', 'listMyWorkspaces'],
    done: t('saved'),
  })
  const { name, contact, postal_address: address, time_zone: zone } = settings
  const initial = {
    name,
    contact: contact ?? '',
    postal_address: address ?? '',
    time_zone: zone ?? '',
  }
  const form = useForm(initial, (body) => mutateAsync({ body }))
  return (
    <Paper>
      <Form form={form} verb={mayChange ? t('save') : null} button="start" maw={560} noValidate>
        <OnlyOwners />
        <TextInput
          label={t('workspaceName')}
          description={t('workspaceNameWhy')}
          {...form.text('name')}
          maxLength={settingLimits.workspaceNameMax}
          disabled={!mayChange}
          required
        />
        <TextInput
          label={t('contact')}
          description={t('contactWhy')}
          placeholder={settings.default_sender ?? ''}
          type="email"
          {...form.text('contact')}
          disabled={!mayChange}
        />
        <Textarea
          label={t('postalAddress')}
          description={t('postalAddressWhy')}
          {...form.text('postal_address')}
          minRows={3}
          maxLength={settingLimits.postalAddressMax}
          disabled={!mayChange}
        />
        <TextInput
          label={t('timeZone')}
          description={t('timeZoneWhy')}
          placeholder="UTC"
          {...form.text('time_zone')}
          maxLength={settingLimits.timeZoneMax}
          disabled={!mayChange}
        />
      </Form>
    </Paper>
  )
}

function About({ settings }: { settings: Settings }) {
  const { t, i18n } = useTranslation('settings')
  const { slug, id, provider, created_at: createdAt, requests_per_minute: requests } = settings
  return (
    <PaperSection title={t('aboutWorkspace')} size="h2" gap="md">
      <SettingFacts
        facts={[
          { name: t('slug'), value: <CopyField value={slug} label={t('slug')} /> },
          { name: t('workspaceId'), value: <CopyField value={id} label={t('workspaceId')} /> },
          { name: t('created'), value: <Moment at={createdAt} exact /> },
          {
            name: t('mailLeavesBy'),
            // A provider without words of its own is shown by its name.
            value: `${t(keyOf('provider', provider.name), provider.name)} ${provider.own ? t('ownProvider') : t('sharedProvider')}`,
          },
          {
            name: t('requestsPerMinute'),
            value: t('requestsOfKey', {
              count: requests,
              number: requests.toLocaleString(i18n.language),
            }),
          },
        ]}
      />
      <Text c="dimmed">{t('operatorSets')}</Text>
    </PaperSection>
  )
}
