/**
 * The service renders a form's page and mail as contacts get them; the frames run no scripts and
 * submit nothing.
 */
import { Box, NativeSelect, Paper, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addressOf, type Got } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import {
  asRecipientLanguage,
  recipientLanguageOptions,
  type RecipientLanguage,
} from '../../language.ts'
import { Failure } from '../../parts/Failure.tsx'
import { MailFrame } from '../../parts/MailFrame.tsx'
import { SettingFacts } from './SettingFacts.tsx'
import { requestOf, type FormDraft } from './form-draft.ts'
import classes from './FormPreview.module.css'

interface PreviewState {
  data: Got<'previewForm'> | null
  error: Error | null
}

interface FormPreviewProps {
  preview: PreviewState
  draft: Pick<FormDraft, 'mail' | 'language'>
  /** The language of the page where the form has none; null is the workspace's. */
  language: RecipientLanguage | null
  onLanguage: (language: RecipientLanguage) => void
}

export function FormPreview({
  preview: { data, error },
  draft: { mail, language: own },
  language,
  onLanguage,
}: FormPreviewProps) {
  const { t } = useTranslation('settings')
  const { data: settings } = useAsk('getSettings')
  const [paused] = useDebouncedValue(mail, 300)
  return (
    <Paper component="section" className={classes.beside}>
      <Stack>
        <Title order={2}>{t('preview')}</Title>
        {error && <Failure error={error} />}
        <Tabs defaultValue="page">
          <Tabs.List>
            <Tabs.Tab value="page">{t('previewPage')}</Tabs.Tab>
            <Tabs.Tab value="mail">{t('previewMail')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="page" pt="md">
            {settings && own === null && (
              <NativeSelect
                mb="sm"
                aria-label={t('previewLanguage')}
                data={recipientLanguageOptions}
                value={language ?? settings.language ?? settings.installation_language}
                onChange={({ currentTarget: { value } }) => {
                  const chosen = asRecipientLanguage(value)
                  if (chosen) onLanguage(chosen)
                }}
              />
            )}
            {data ? (
              <iframe
                className={classes.frame}
                sandbox=""
                title={t('previewPage')}
                srcDoc={data.page}
              />
            ) : (
              <Skeleton height={420} radius="md" role="status" aria-label={t('loading')} />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="mail" pt="md">
            {data && (
              <Stack>
                <SettingFacts
                  facts={[
                    { name: t('from'), value: data.mail.from ?? t('noSenderYet') },
                    { name: t('mailSubject'), value: data.mail.subject },
                  ]}
                />
                <MailFrame
                  address={addressOf('previewFormMail', {
                    query: { ...paused, ...(own && { language: own }) },
                  })}
                  title={t('previewMail')}
                  height="420px"
                />
                <Box>
                  <Text c="dimmed" mb={4}>
                    {t('plainText')}
                  </Text>
                  <pre className={classes.plain} tabIndex={0}>
                    {data.mail.text}
                  </pre>
                </Box>
              </Stack>
            )}
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Paper>
  )
}

/**
 * The service renders the draft a moment after the user's last stroke; the hook returns the
 * previous answer meanwhile. `visitor`: the language of the page where the form has
 * none; null is the workspace's.
 */
export function usePreview(draft: FormDraft, visitor: RecipientLanguage | null): PreviewState {
  const [paused] = useDebouncedValue(draft, 300)
  const language = draft.language ?? visitor
  const { data, error } = useAsk('previewForm', {
    query: language ? { language } : {},
    body: requestOf(paused, true),
  })
  const [last, setLast] = useState<Got<'previewForm'> | null>(null)
  // The hook stores the last answer while the next is on its way (React: adjusting state when a
  // value changes).
  if (data && data !== last) setLast(data)
  return { data: data ?? last, error }
}
