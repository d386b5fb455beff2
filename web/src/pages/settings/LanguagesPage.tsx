/**
 * The workspace sets the language of its recipients' texts here; each reader sets the language of
 * these pages.
 */
import { Radio, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { languageNames } from 'virtual:contract'
import type { Settings } from '../../../../src/contract/workspace/settings.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import {
  asLanguage,
  asRecipientLanguage,
  changeLanguage,
  languageNow,
  languageOptions,
  recipientLanguageOptions,
} from '../../language.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { OnlyOwners } from './OnlyOwners.tsx'

export function LanguagesPage() {
  const { t } = useTranslation('settings')
  const read = useAsk('getSettings')
  return (
    <Page title={t('languages')} about={t('languagesAbout')}>
      <Stack gap="lg">
        <Loaded of={read} height={220}>
          {(settings) => <OfRecipients settings={settings} />}
        </Loaded>
        <OfThesePages />
      </Stack>
    </Page>
  )
}

function OfRecipients({ settings }: { settings: Settings }) {
  const { t } = useTranslation('settings')
  const mayChange = useMay('owner')
  const update = useAct('updateSettings', {
    refresh: ['getSettings', 'listForms'],
    done: t('saved'),
  })
  const disabled = !mayChange || update.isPending
  return (
    <PaperSection title={t('languageOfRecipients')} size="h2" gap="md">
      <OnlyOwners />
      <Radio.Group
        label={t('languageOfRecipientsLabel')}
        description={t('languageOfRecipientsWhy')}
        value={settings.language ?? 'installation'}
        onChange={(value) => update.mutate({ body: { language: asRecipientLanguage(value) } })}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="installation"
            label={t('languageOfInstallation', {
              language: languageNames[settings.installation_language],
            })}
            disabled={disabled}
          />
          <EachLanguage options={recipientLanguageOptions} disabled={disabled} />
        </Stack>
      </Radio.Group>
      <Failure error={update.error} />
    </PaperSection>
  )
}

const EachLanguage = ({
  options,
  disabled = false,
}: {
  options: { value: string; label: string }[]
  disabled?: boolean
}) =>
  options.map(({ value, label }) => (
    <Radio
      key={value}
      value={value}
      label={<span lang={value}>{label}</span>}
      disabled={disabled}
    />
  ))

function OfThesePages() {
  const { t } = useTranslation('settings')
  return (
    <PaperSection title={t('languageOfPages')} size="h2" gap="md">
      <Radio.Group
        label={t('languageOfPagesLabel')}
        description={t('languageOfPagesWhy')}
        value={languageNow()}
        onChange={(value) => void changeLanguage(asLanguage(value) ?? languageNow())}
      >
        <Stack gap="xs" mt="xs">
          <EachLanguage options={languageOptions} />
        </Stack>
      </Radio.Group>
      <Text c="dimmed">{t('languageOfDocs')}</Text>
    </PaperSection>
  )
}
