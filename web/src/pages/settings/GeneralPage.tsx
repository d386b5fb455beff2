/** What a workspace is called, where it is told of itself, what stands below its campaigns, and by what its mail leaves. */
import { Button, Group, Paper, Skeleton, Stack, Text, TextInput, Textarea, Title } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode, SubmitEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../../src/contract/workspace/settings.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { isAbout, problemAt } from '../../parts/field-problem.ts'
import { OnlyOwners } from './OnlyOwners.tsx'
import { SettingFacts } from './SettingFacts.tsx'

export function GeneralPage(): ReactNode {
  const { t } = useTranslation('settings')
  const { data, error, refetch } = useAsk('getSettings')
  return (
    <Page title={t('general')} about={t('generalAbout')}>
      {data ? (
        <Stack gap="lg">
          <Saying key={data.id} settings={data} />
          <About settings={data} />
        </Stack>
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton height={320} radius="lg" role="status" aria-label={t('loading')} />
      )}
    </Page>
  )
}

const paths = ['name', 'contact', 'postal_address']

function Saying({ settings }: { settings: Settings }): ReactNode {
  const { t } = useTranslation('settings')
  const mayChange = useMay('owner')
  const [name, setName] = useState(settings.name)
  const [contact, setContact] = useState(settings.contact ?? '')
  const [address, setAddress] = useState(settings.postal_address ?? '')
  const update = useAct('updateSettings', { refresh: ['getSettings', 'listMyWorkspaces'] })
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    update.mutate({ body: { name, contact, postal_address: address } }, { onSuccess: () => notifyDone(t('saved')) })
  }
  const problem = (path: string): string | null => problemAt(update.error, path, t)
  return (
    <Paper component="form" onSubmit={submit} noValidate>
      <Stack maw={560}>
        <OnlyOwners />
        <TextInput
          label={t('workspaceName')}
          description={t('workspaceNameWhy')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem('name')}
          maxLength={120}
          disabled={!mayChange}
          required
        />
        <TextInput
          label={t('contact')}
          description={t('contactWhy')}
          placeholder={settings.default_sender ?? ''}
          type="email"
          value={contact}
          onChange={(event) => setContact(event.currentTarget.value)}
          error={problem('contact')}
          disabled={!mayChange}
        />
        <Textarea
          label={t('postalAddress')}
          description={t('postalAddressWhy')}
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          error={problem('postal_address')}
          autosize
          minRows={3}
          maxLength={500}
          disabled={!mayChange}
        />
        {!isAbout(update.error, paths) && <Failure error={update.error} />}
        {mayChange && (
          <Group>
            <Button type="submit" loading={update.isPending}>
              {t('save')}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}

const providers: Record<Settings['provider']['name'], string> = {
  'local-capture': 'providerCapture',
  'smtp-relay': 'providerRelay',
  'direct-mx': 'providerDirect',
  'amazon-ses': 'providerSes',
  unusable: 'providerUnusable',
}

function About({ settings }: { settings: Settings }): ReactNode {
  const { t, i18n } = useTranslation('settings')
  const { slug, id, provider, created_at: createdAt, requests_per_minute: requests } = settings
  return (
    <Paper component="section">
      <Stack>
        <Title order={2}>{t('aboutWorkspace')}</Title>
        <SettingFacts
          facts={[
            { name: t('slug'), value: <CopyField value={slug} label={t('slug')} /> },
            { name: t('workspaceId'), value: <CopyField value={id} label={t('workspaceId')} /> },
            { name: t('created'), value: <Moment at={createdAt} exact /> },
            {
              name: t('mailLeavesBy'),
              value: `${t(providers[provider.name])} ${provider.own ? t('ownProvider') : t('sharedProvider')}`,
            },
            {
              name: t('requestsPerMinute'),
              value: t('requestsOfKey', { count: requests, number: requests.toLocaleString(i18n.language) }),
            },
          ]}
        />
        <Text size="sm" c="dimmed">
          {t('operatorSets')}
        </Text>
      </Stack>
    </Paper>
  )
}
