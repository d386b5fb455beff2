/**
 * The workspace sets the language of its recipients' texts here; each reader sets the language of
 * these pages.
 */
import { Radio, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../../src/contract/workspace/settings.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { changeLanguage, languageNames, languageNow, languages } from '../../language.ts'
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
        onChange={(value) =>
          update.mutate({ body: { language: languages.find((each) => each === value) ?? null } })
        }
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="installation"
            label={t('languageOfInstallation', {
              language: languageNames[settings.installation_language],
            })}
            disabled={disabled}
          />
          <EachLanguage disabled={disabled} />
        </Stack>
      </Radio.Group>
      <Failure error={update.error} />
    </PaperSection>
  )
}

const EachLanguage = ({ disabled = false }: { disabled?: boolean }) =>
  languages.map((language) => (
    <Radio
      key={language}
      value={language}
      label={<span lang={language}>{languageNames[language]}</span>}
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
        onChange={(value) => void changeLanguage(languages.find((each) => each === value) ?? 'en')}
      >
        <Stack gap="xs" mt="xs">
          <EachLanguage />
        </Stack>
      </Radio.Group>
      <Text c="dimmed">{t('languageOfDocs')}</Text>
    </PaperSection>
  )
}
