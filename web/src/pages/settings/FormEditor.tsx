/** Where a form is written, with what it makes beside it; on a phone below it. */
import { Button, Group, SimpleGrid, TagsInput, Text, TextInput, Textarea } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useState, type ChangeEvent, type SubmitEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../api/use-role.ts'
import type { Language } from '../../language.ts'
import { Failure } from '../../parts/Failure.tsx'
import { PaperSection } from '../../parts/Section.tsx'
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

type TextElement = HTMLInputElement | HTMLTextAreaElement

export function FormEditor({ initial, verb, error, onSave }: FormEditorProps) {
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
  const problem = (path: string): string | null => problemAt(error, path, t)
  const text = (name: 'name' | 'intro' | 'consent') => ({
    value: draft[name],
    onChange: (event: ChangeEvent<TextElement>) => set({ [name]: event.currentTarget.value }),
    error: problem(name),
  })
  const mailText = (name: keyof FormDraft['mail']) => ({
    value: draft.mail[name],
    onChange: (event: ChangeEvent<TextElement>) => set({ mail: { ...draft.mail, [name]: event.currentTarget.value } }),
    error: problem(`mail.${name}`),
  })
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    setSaving(true)
    // `error` says what is refused, at its field.
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
          <PaperSection size="h2" gap="md" title={t('formWords')}>
            <TextInput label={t('formName')} description={t('formNameWhy')} {...text('name')} maxLength={120} required />
            <Textarea label={t('formIntro')} description={t('formIntroWhy')} {...text('intro')} maxLength={2_000} />
            <Textarea
              label={t('formConsent')}
              description={t('formConsentWhy')}
              placeholder={t('oursIfEmpty')}
              {...text('consent')}
              maxLength={2_000}
            />
          </PaperSection>
          <PaperSection size="h2" gap="md" title={t('formFields')}>
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
          </PaperSection>
          <PaperSection size="h2" gap="md" title={t('formColours')}>
            <FormColours draft={draft} onChange={set} contrast={preview.data?.contrast ?? null} error={error} />
          </PaperSection>
          <PaperSection size="h2" gap="md" title={t('formMail')}>
            <Text c="dimmed">{t('formMailWhy')}</Text>
            <TextInput label={t('mailSubject')} placeholder={t('oursOfWorkspace')} {...mailText('subject')} maxLength={150} />
            <Textarea label={t('mailText')} placeholder={t('oursOfWorkspace')} {...mailText('text')} maxLength={1_000} />
            <TextInput label={t('mailButton')} placeholder={t('oursOfWorkspace')} {...mailText('button')} maxLength={60} />
          </PaperSection>
          <Failure error={error} />
          {mayChange && (
            <Group>
              <Button type="submit" loading={isSaving}>
                {verb}
              </Button>
              {hasChanges && !isSaving && <Text c="dimmed">{t('notSaved')}</Text>}
            </Group>
          )}
        </fieldset>
      </form>
      <FormPreview mail={draft.mail} preview={preview} language={language} onLanguage={setLanguage} />
    </SimpleGrid>
  )
}
