/**
 * The page edits a sign-up form beside its preview; above stand its address and the HTML to paste.
 */
import { Button, Group } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Form } from '../../../../src/contract/workspace/forms.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { useGo } from '../../parts/links.tsx'
import { LoadedPage } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { draftOf, emptyDraft, requestOf } from './form-draft.ts'
import { FormEditor } from './FormEditor.tsx'
import { FormSharing } from './FormSharing.tsx'
import { FormStatus } from './FormStatus.tsx'
import { SignUps } from './SignUps.tsx'

export function NewFormPage() {
  const { t } = useTranslation('settings')
  const go = useGo()
  const create = useAct('createForm', { refresh: ['listForms'], done: t('formMade') })
  return (
    <Page
      title={t('newForm')}
      about={t('newFormAbout')}
      back={{ to: 'settings/forms', label: t('forms') }}
    >
      <FormEditor
        initial={emptyDraft(t('formNameExample'))}
        verb={t('makeForm')}
        onSave={async (draft) => {
          const form = await create.mutateAsync({ body: requestOf(draft) })
          await go(`settings/forms/${form.id}`)
        }}
      />
    </Page>
  )
}

export function FormPage() {
  const { t } = useTranslation('settings')
  const { id = '' } = useParams({ strict: false })
  const read = useAsk('getForm', { params: { id } })
  return (
    <LoadedPage
      of={read}
      title={t('form')}
      back={{ to: 'settings/forms', label: t('forms') }}
      height={480}
    >
      {(form) => <Written key={form.id} form={form} />}
    </LoadedPage>
  )
}

function Written({ form }: { form: Form }) {
  const { t } = useTranslation('settings')
  const update = useAct('updateForm', { refresh: ['getForm', 'listForms'], done: t('saved') })
  return (
    <Page
      title={form.name}
      back={{ to: 'settings/forms', label: t('forms') }}
      beside={<FormStatus of={form} />}
      about={<SignUps of={form} />}
      actions={
        <Group gap="sm">
          <OpenOrClose form={form} />
          <Delete form={form} />
        </Group>
      }
    >
      <FormSharing form={form} />
      <FormEditor
        initial={draftOf(form)}
        verb={t('save')}
        onSave={(draft) => update.mutateAsync({ params: { id: form.id }, body: requestOf(draft) })}
      />
    </Page>
  )
}

function OpenOrClose({ form }: { form: Form }) {
  const { t } = useTranslation('settings')
  const mayChange = useMay('editor')
  const update = useAct('updateForm', { refresh: ['getForm', 'listForms'] })
  if (!mayChange) return null
  return (
    <Button
      variant="default"
      loading={update.isPending}
      onClick={() => update.mutate({ params: { id: form.id }, body: { enabled: !form.enabled } })}
    >
      {form.enabled ? t('closeForm') : t('openForm')}
    </Button>
  )
}

function Delete({ form: { id, name } }: { form: Form }) {
  const { t } = useTranslation('settings')
  const go = useGo()
  const mayChange = useMay('editor')
  const remove = useAct('deleteForm', { refresh: ['listForms'], done: t('formDeleted', { name }) })
  if (!mayChange) return null
  return (
    <ConfirmButton
      label={t('deleteForm')}
      title={t('deleteFormTitle', { name })}
      danger
      onConfirm={() => remove.mutateAsync({ params: { id } }).then(() => go('settings/forms'))}
    >
      {t('deleteFormWhat')}
    </ConfirmButton>
  )
}
