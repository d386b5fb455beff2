/**
 * The link that `npm start` prints leads here: the page makes the first account, which owns an
 * existing or a new workspace.
 */
import { Radio, Stack, TextInput } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { settingLimits, userLimits } from 'virtual:contract'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { languageNow } from '../../language.ts'
import { Form } from '../../parts/Form.tsx'
import { useForm } from '../../parts/use-form.ts'
import { ChooseLanguage } from './ChooseLanguage.tsx'
import { goToApp } from './go-to-app.ts'
import { LinkPage } from './LinkPage.tsx'
import { NewPassword } from './NewPassword.tsx'
import { ruleAt } from './rule-at.ts'

/** The choice of a new workspace; no slug has a colon. */
const ofNew = ':new'

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
    new_workspace: '',
  }
  const form = useForm(
    { ...initial, language: languageNow() },
    async ({ workspace, new_workspace: newName, ...body }) => {
      const chosen = workspace === ofNew ? { new_workspace: newName } : { workspace }
      await mutateAsync({ params: { token }, body: { ...body, ...chosen } })
      goToApp('/app')
    },
  )
  const newNameRule = ruleAt(form.error, 'new_workspace')
  return (
    <Form form={form} verb={t('createAccount')} button="wide">
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
        error={ruleAt(form.error, 'email') && t('noAddress')}
        autoComplete="username"
        required
      />
      <NewPassword {...form.pick('password')} error={form.error} />
      <Radio.Group
        label={t('whichWorkspace')}
        description={t('whichWorkspaceWhy')}
        {...form.pick('workspace')}
      >
        <Stack gap="xs" mt="xs">
          {workspaces.map(({ slug, name }) => (
            <Radio key={slug} value={slug} label={name} />
          ))}
          <Radio value={ofNew} label={t('aNewOne')} />
        </Stack>
      </Radio.Group>
      {form.values.workspace === ofNew && (
        <TextInput
          label={t('workspaceName')}
          {...form.text('new_workspace')}
          error={
            newNameRule === 'taken' ? t('workspaceTaken') : newNameRule && t('workspaceNameBad')
          }
          maxLength={settingLimits.workspaceNameMax}
          required
        />
      )}
      <ChooseLanguage {...form.pick('language')} />
    </Form>
  )
}
