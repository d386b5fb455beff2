/** The user writes a form here, with its preview beside it, or below it on a phone. */
import {
  Button,
  Group,
  NativeSelect,
  SimpleGrid,
  TagsInput,
  Text,
  TextInput,
  Textarea,
} from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useState, type ChangeEvent, type SubmitEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { settingLimits } from 'virtual:contract'
import { useMay } from '../../api/use-role.ts'
import {
  asRecipientLanguage,
  recipientLanguageOptions,
  type RecipientLanguage,
} from '../../language.ts'
import { Failure } from '../../parts/Failure.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { problemAt, problemsWithin } from '../../api/field-problem.ts'
import { useForm } from '../../parts/use-form.ts'
import type { FormDraft } from './form-draft.ts'
import { FormAsks } from './FormAsks.tsx'
import { FormColours } from './FormColours.tsx'
import { FormTopics } from './FormTopics.tsx'
import classes from './FormEditor.module.css'
import { FormPreview, usePreview } from './FormPreview.tsx'

interface FormEditorProps {
  initial: FormDraft
  /** The button has this label. */
  verb: string
  onSave: (draft: FormDraft) => Promise<unknown>
}

export function FormEditor({ initial, verb, onSave }: FormEditorProps) {
  const { t } = useTranslation('settings')
  const mayChange = useMay('editor')
  const [saved, setSaved] = useState(initial)
  const [language, setLanguage] = useState<RecipientLanguage | null>(null)
  const form = useForm(initial, async (written) => {
    await onSave(written)
    setSaved(written)
  })
  const { values: draft, set, text, error, isBusy } = form
  const preview = usePreview(draft, language)
  const hasChanges = JSON.stringify(draft) !== JSON.stringify(saved)
  useBlocker({
    shouldBlockFn: () => hasChanges && !isBusy && !window.confirm(t('leaveChanges')),
    enableBeforeUnload: () => hasChanges,
  })
  const mailText = (name: keyof FormDraft['mail']) => ({
    value: draft.mail[name],
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      set({ mail: { ...draft.mail, [name]: event.currentTarget.value } }),
    error: problemAt(error, `mail.${name}`),
  })
  // The service writes the rest of the mail in the workspace's language as soon as one of its texts
  // is the workspace's own and the form has no language.
  const oursInMail = t(
    draft.language === null && Object.values(draft.mail).some((words) => words.trim() !== '')
      ? 'oursOfWorkspace'
      : 'oursIfEmpty',
  )
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    form.submit()
  }
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" className={classes.halves}>
      <form onSubmit={submit} noValidate>
        <fieldset disabled={!mayChange} className={classes.fields}>
          <PaperSection size="h2" gap="md" title={t('formWords')}>
            <TextInput
              label={t('formName')}
              description={t('formNameWhy')}
              {...text('name')}
              maxLength={settingLimits.formNameMax}
              required
            />
            <Textarea
              label={t('formIntro')}
              description={t('formIntroWhy')}
              {...text('intro')}
              maxLength={settingLimits.formWordsMax}
            />
            <Textarea
              label={t('formConsent')}
              description={t('formConsentWhy')}
              placeholder={t('oursIfEmpty')}
              {...text('consent')}
              maxLength={settingLimits.formWordsMax}
            />
            <NativeSelect
              label={t('formLanguage')}
              description={t('formLanguageWhy')}
              value={draft.language ?? ''}
              data={[{ value: '', label: t('languageOfVisitor') }, ...recipientLanguageOptions]}
              onChange={({ currentTarget: { value } }) =>
                set({ language: asRecipientLanguage(value) })
              }
            />
          </PaperSection>
          <PaperSection size="h2" gap="md" title={t('formFields')}>
            <FormAsks
              asks={draft.asks}
              onChange={(asks) => set({ asks })}
              error={error}
              disabled={!mayChange}
            />
            <TagsInput
              label={t('formTags')}
              description={t('formTagsWhy')}
              {...form.pick('tags')}
              maxTags={20}
              error={problemAt(error, 'tags')}
              disabled={!mayChange}
            />
            <FormTopics {...form.pick('topics')} disabled={!mayChange} />
          </PaperSection>
          <PaperSection size="h2" gap="md" title={t('formColours')}>
            <FormColours
              draft={draft}
              onChange={set}
              contrast={preview.data?.contrast ?? null}
              error={error}
            />
          </PaperSection>
          <PaperSection size="h2" gap="md" title={t('formMail')}>
            <Text c="dimmed">{t('formMailWhy')}</Text>
            <TextInput
              label={t('mailSubject')}
              placeholder={oursInMail}
              {...mailText('subject')}
              maxLength={settingLimits.formSubjectMax}
            />
            <Textarea
              label={t('mailText')}
              placeholder={oursInMail}
              {...mailText('text')}
              maxLength={settingLimits.formMailTextMax}
            />
            <TextInput
              label={t('mailButton')}
              placeholder={oursInMail}
              {...mailText('button')}
              maxLength={settingLimits.formButtonMax}
            />
          </PaperSection>
          <PaperSection size="h2" gap="md" title={t('formOwnPages')}>
            <TagsInput
              label={t('formOrigins')}
              description={t('formOriginsWhy')}
              {...form.pick('origins')}
              maxTags={settingLimits.formOriginsMax}
              error={problemsWithin(error, 'origins', draft.origins)}
              disabled={!mayChange}
            />
            <TextInput
              label={t('formThanks')}
              description={t('formThanksWhy')}
              placeholder={t('ourPageIfEmpty')}
              {...text('thanks_url')}
              maxLength={settingLimits.formUrlMax}
            />
            <TextInput
              label={t('formConfirmed')}
              placeholder={t('ourPageIfEmpty')}
              {...text('confirmed_url')}
              maxLength={settingLimits.formUrlMax}
            />
          </PaperSection>
          <Failure error={error} />
          {mayChange && (
            <Group>
              <Button type="submit" loading={isBusy}>
                {verb}
              </Button>
              {hasChanges && !isBusy && <Text c="dimmed">{t('notSaved')}</Text>}
            </Group>
          )}
        </fieldset>
      </form>
      <FormPreview draft={draft} preview={preview} language={language} onLanguage={setLanguage} />
    </SimpleGrid>
  )
}
