/** A new workspace, with its own domains, keys and users; its maker owns it. */
import { Alert, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { settingLimits } from 'virtual:contract'
import { refusalCode } from '../../api/refusal.ts'
import { useAct } from '../../api/use-ask.ts'
import { languageNow, type RecipientLanguage } from '../../language.ts'
import { Form } from '../../parts/Form.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Page } from '../../parts/Page.tsx'
import { useForm } from '../../parts/use-form.ts'
import { ChooseLanguage } from './ChooseLanguage.tsx'
import { UserLayout } from './UserLayout.tsx'
import { reasonOf, ruleAt } from './rule-at.ts'

interface NewWorkspace {
  name: string
  language: RecipientLanguage
}

export function NewWorkspacePage() {
  const { t } = useTranslation('users')
  const { mutateAsync } = useAct('addWorkspace', { refresh: ['listMyWorkspaces'] })
  const form = useForm<NewWorkspace>({ name: '', language: languageNow() }, async (body) => {
    const { slug } = await mutateAsync({ body })
    window.location.assign(`/app/${slug}/overview`)
  })
  const isTaken = reasonOf(form.error) === 'name_taken'
  const onlyOwners = refusalCode(form.error) === 'insufficient_role' && (
    <Alert color="yellow" role="alert" icon={<Icon name="warning" />}>
      {t('ownersAddWorkspaces')}
    </Alert>
  )
  return (
    <UserLayout>
      <Page title={t('newWorkspace')} about={t('newWorkspaceAbout')}>
        <Form
          form={{ ...form, isAtField: form.isAtField || isTaken }}
          verb={t('createWorkspace')}
          button="start"
          maw={440}
          failure={onlyOwners || undefined}
        >
          <TextInput
            label={t('workspaceName')}
            description={t('workspaceNameHow')}
            {...form.text('name')}
            error={
              isTaken ? t('workspaceTaken') : ruleAt(form.error, 'name') && t('workspaceNameBad')
            }
            maxLength={settingLimits.workspaceNameMax}
            required
          />
          <ChooseLanguage {...form.pick('language')} />
        </Form>
      </Page>
    </UserLayout>
  )
}
