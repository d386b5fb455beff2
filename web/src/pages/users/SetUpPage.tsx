/**
 * The link that `npm start` prints leads here: the page makes the first account, which owns an
 * existing or a new workspace.
 */
import { TextInput } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { userLimits } from 'virtual:contract'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { languageNow, type RecipientLanguage } from '../../language.ts'
import { Form } from '../../parts/Form.tsx'
import { useForm } from '../../parts/use-form.ts'
import { checkAccount } from './check-account.ts'
import { goToApp } from './go-to-app.ts'
import { LinkPage } from './LinkPage.tsx'
import { NewPassword } from './NewPassword.tsx'
import { ruleAt } from './rule-at.ts'
import { ofNew, SetUpWorkspace } from './SetUpWorkspace.tsx'

export function SetUpPage() {
  const { t } = useTranslation('users')
  const { token = '' } = useParams({ strict: false })
  const link = useAsk('getSetUp', { params: { token } })
  return (
    <LinkPage title={t('setUp')} about={t('setUpAbout')} read={link} dead={t('setUpDead')}>
      {({ workspaces }) => <SetUpForm token={token} workspaces={workspaces} />}
    </LinkPage>
  )
}

interface SetUpFormProps {
  token: string
  workspaces: { slug: string; name: string }[]
}

function SetUpForm({ token, workspaces }: SetUpFormProps) {
  const { t } = useTranslation('users')
  const { mutateAsync } = useAct('setUp')
  const initial = {
    name: '',
    email: '',
    password: '',
    workspace: workspaces[0]?.slug ?? ofNew,
    new_workspace: t('firstWorkspace'),
  }
  const form = useForm<typeof initial & { language: RecipientLanguage }>(
    { ...initial, language: languageNow() },
    async ({ workspace, new_workspace: newName, ...body }) => {
      const chosen = workspace === ofNew ? { new_workspace: newName } : { workspace }
      await mutateAsync({ params: { token }, body: { ...body, ...chosen } })
      goToApp('/app')
    },
    checkAccount(t),
  )
  return (
    <Form form={form} verb={t('createAccount')} button="wide" noValidate>
      <TextInput
        label={t('name')}
        {...form.text('name')}
        autoComplete="name"
        maxLength={userLimits.nameMax}
      />
      <TextInput
        label={t('email')}
        type="email"
        {...form.text('email')}
        error={ruleAt(form.error, 'email') ? t('noAddress') : form.text('email').error}
        autoComplete="username"
        required
      />
      <NewPassword
        {...form.pick('password')}
        error={form.error}
        problem={form.text('password').error}
      />
      <SetUpWorkspace form={form} workspaces={workspaces} />
    </Form>
  )
}
