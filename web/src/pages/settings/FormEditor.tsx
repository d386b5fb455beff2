/** Where a form is written, with what it makes beside it; on a phone below it. */
import { Button, Group, Paper, SimpleGrid, Stack, TagsInput, Text, TextInput, Textarea, Title } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode, SubmitEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../api/use-role.ts'
import type { Language } from '../../language.ts'
import { Failure } from '../../parts/Failure.tsx'
import { problemAt } from '../../parts/field-problem.ts'
import type { FormDraft } from './form-draft.ts'
import { FormAsks } from './FormAsks.tsx'
import { FormColours } from './FormColours.tsx'
import classes from './FormEditor.module.css'
import { FormPreview } from './FormPreview.tsx'
import { usePreview } from './use-preview.ts'

interface FormEditorProps {
  initial: FormDraft
  /** What the button does. */
  verb: string
  error: Error | null
  onSave: (draft: FormDraft) => Promise<void>
}

export function FormEditor({ initial, verb, error, onSave }: FormEditorProps): ReactNode {
  const { t } = useTranslation('settings')
  const mayChange = useMay('editor')
  const [draft, setDraft] = useState(initial)
  const [kept, setKept] = useState(initial)
  const [isSaving, setSaving] = useState(false)
  const [language, setLanguage] = useState<Language | null>(null)
  const preview = usePreview(draft, language)
  const hasChanges = JSON.stringify(draft) !== JSON.stringify(kept)
  useBlocker({
    shouldBlockFn: () => hasChanges && !isSaving && !window.confirm(t('leaveChanges')),
    enableBeforeUnload: () => hasChanges,
  })
  const set = (change: Partial<FormDraft>): void => setDraft((before) => ({ ...before, ...change }))
  const setMail = (change: Partial<FormDraft['mail']>): void => set({ mail: { ...draft.mail, ...change } })
  const problem = (path: string): string | null => problemAt(error, path, t)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    setSaving(true)
    // What is refused is told by `error`, at its field.
    await onSave(draft).then(
      () => setKept(draft),
      () => undefined,
    )
    setSaving(false)
  }
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" className={classes.halves}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <fieldset disabled={!mayChange} className={classes.fields}>
          <Section title={t('formWords')}>
            <TextInput
              label={t('formName')}
              description={t('formNameWhy')}
              value={draft.name}
              onChange={(event) => set({ name: event.currentTarget.value })}
              error={problem('name')}
              maxLength={120}
              required
            />
            <Textarea
              label={t('formIntro')}
              description={t('formIntroWhy')}
              value={draft.intro}
              onChange={(event) => set({ intro: event.currentTarget.value })}
              error={problem('intro')}
              maxLength={2_000}
              autosize
              minRows={2}
            />
            <Textarea
              label={t('formConsent')}
              description={t('formConsentWhy')}
              placeholder={t('oursIfEmpty')}
              value={draft.consent}
              onChange={(event) => set({ consent: event.currentTarget.value })}
              error={problem('consent')}
              maxLength={2_000}
              autosize
              minRows={2}
            />
          </Section>
          <Section title={t('formFields')}>
            <FormAsks asks={draft.asks} onChange={(asks) => set({ asks })} error={error} disabled={!mayChange} />
            <TagsInput
              label={t('formTags')}
              description={t('formTagsWhy')}
              value={draft.tags}
              onChange={(tags) => set({ tags })}
              maxTags={20}
              error={problem('tags')}
              disabled={!mayChange}
            />
          </Section>
          <Section title={t('formColours')}>
            <FormColours draft={draft} onChange={set} contrast={preview.data?.contrast ?? null} error={error} />
          </Section>
          <Section title={t('formMail')}>
            <Text size="sm" c="dimmed">
              {t('formMailWhy')}
            </Text>
            <TextInput
              label={t('mailSubject')}
              placeholder={t('oursOfWorkspace')}
              value={draft.mail.subject}
              onChange={(event) => setMail({ subject: event.currentTarget.value })}
              error={problem('mail.subject')}
              maxLength={150}
            />
            <Textarea
              label={t('mailText')}
              placeholder={t('oursOfWorkspace')}
              value={draft.mail.text}
              onChange={(event) => setMail({ text: event.currentTarget.value })}
              error={problem('mail.text')}
              maxLength={1_000}
              autosize
              minRows={2}
            />
            <TextInput
              label={t('mailButton')}
              placeholder={t('oursOfWorkspace')}
              value={draft.mail.button}
              onChange={(event) => setMail({ button: event.currentTarget.value })}
              error={problem('mail.button')}
              maxLength={60}
            />
          </Section>
          <Failure error={error} />
          {mayChange && (
            <Group>
              <Button type="submit" loading={isSaving}>
                {verb}
              </Button>
              {hasChanges && !isSaving && (
                <Text size="sm" c="dimmed">
                  {t('notSaved')}
                </Text>
              )}
            </Group>
          )}
        </fieldset>
      </form>
      <FormPreview mail={draft.mail} preview={preview} language={language} onLanguage={setLanguage} />
    </SimpleGrid>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <Paper component="section">
      <Stack>
        <Title order={2}>{title}</Title>
        {children}
      </Stack>
    </Paper>
  )
}
