/** The languages: of what recipients read, which the workspace decides, and of these pages, which each reader does. */
import { Paper, Radio, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../../src/contract/workspace/settings.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { changeLanguage, languages } from '../../language.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Page } from '../../parts/Page.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { OnlyOwners } from './OnlyOwners.tsx'

const names = { en: 'English', fr: 'Français' } as const

export function LanguagesPage(): ReactNode {
  const { t } = useTranslation('settings')
  const { data, error, refetch } = useAsk('getSettings')
  return (
    <Page title={t('languages')} about={t('languagesAbout')}>
      <Stack gap="lg">
        {data ? (
          <OfRecipients settings={data} />
        ) : error ? (
          <Failure error={error} retry={() => void refetch()} />
        ) : (
          <Skeleton height={220} radius="lg" role="status" aria-label={t('loading')} />
        )}
        <OfThesePages />
      </Stack>
    </Page>
  )
}

function OfRecipients({ settings }: { settings: Settings }): ReactNode {
  const { t } = useTranslation('settings')
  const mayChange = useMay('owner')
  const update = useAct('updateSettings', { refresh: ['getSettings', 'listForms'] })
  const change = (value: string): void => {
    const language = languages.find((each) => each === value) ?? null
    update.mutate({ body: { language } }, { onSuccess: () => notifyDone(t('saved')) })
  }
  const disabled = !mayChange || update.isPending
  return (
    <Paper component="section">
      <Stack maw="70ch">
        <Title order={2}>{t('languageOfRecipients')}</Title>
        <OnlyOwners />
        <Radio.Group
          label={t('languageOfRecipientsLabel')}
          description={t('languageOfRecipientsWhy')}
          value={settings.language ?? 'installation'}
          onChange={change}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              value="installation"
              label={t('languageOfInstallation', { language: names[settings.installation_language] })}
              disabled={disabled}
            />
            {languages.map((language) => (
              <Radio key={language} value={language} label={<span lang={language}>{names[language]}</span>} disabled={disabled} />
            ))}
          </Stack>
        </Radio.Group>
        <Failure error={update.error} />
      </Stack>
    </Paper>
  )
}

function OfThesePages(): ReactNode {
  const { t, i18n } = useTranslation('settings')
  return (
    <Paper component="section">
      <Stack maw="70ch">
        <Title order={2}>{t('languageOfPages')}</Title>
        <Radio.Group
          label={t('languageOfPagesLabel')}
          description={t('languageOfPagesWhy')}
          value={i18n.language}
          onChange={(value) => void changeLanguage(languages.find((each) => each === value) ?? 'en')}
        >
          <Stack gap="xs" mt="xs">
            {languages.map((language) => (
              <Radio key={language} value={language} label={<span lang={language}>{names[language]}</span>} />
            ))}
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          {t('languageOfDocs')}
        </Text>
      </Stack>
    </Paper>
  )
}
