/** The link that `npm start` prints: makes the first account, the owner of a workspace that there is or of a new one. */
import { Button, Radio, Stack, TextInput } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { languageNow } from '../../language.ts'
import { Failure } from '../../parts/Failure.tsx'
import { ChooseLanguage } from './ChooseLanguage.tsx'
import { goToApp } from './go-to-app.ts'
import { LinkPage } from './LinkPage.tsx'
import { NewPassword } from './NewPassword.tsx'
import { ruleAt } from './rule-at.ts'

/** The choice of a new workspace; no slug has a colon. */
const anew = ':new'

export function SetUpPage(): ReactNode {
  const { t } = useTranslation('people')
  const { token = '' } = useParams({ strict: false })
  const link = useAsk('getSetUp', { params: { token } })
  return (
    <LinkPage title={t('setUp')} about={t('setUpAbout')} read={link} dead={t('setUpDead')}>
      {({ workspaces }) => <SetUpForm token={token} workspaces={workspaces} />}
    </LinkPage>
  )
}

function SetUpForm({ token, workspaces }: { token: string; workspaces: { slug: string; name: string }[] }): ReactNode {
  const { t } = useTranslation('people')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [choice, setChoice] = useState(workspaces[0]?.slug ?? anew)
  const [newName, setNewName] = useState('')
  const [language, setLanguage] = useState(languageNow)
  const act = useAct('setUp')
  const workspace = choice === anew ? { new_workspace: newName } : { workspace: choice }
  const fields = ['email', 'password', 'new_workspace'].map((field) => ruleAt(act.error, field))
  const submit = async (): Promise<void> => {
    await act.mutateAsync({ params: { token }, body: { name, email, password, language, ...workspace } })
    goToApp('/app')
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit().catch(() => undefined)
      }}
    >
      <Stack>
        <TextInput
          label={t('name')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="name"
          maxLength={120}
        />
        <TextInput
          label={t('email')}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fields[0] && t('noAddress')}
          autoComplete="username"
          required
        />
        <NewPassword value={password} onChange={setPassword} error={act.error} />
        <Radio.Group label={t('whichWorkspace')} description={t('whichWorkspaceWhy')} value={choice} onChange={setChoice}>
          <Stack gap="xs" mt="xs">
            {workspaces.map(({ slug, name: workspaceName }) => (
              <Radio key={slug} value={slug} label={workspaceName} />
            ))}
            <Radio value={anew} label={t('aNewOne')} />
          </Stack>
        </Radio.Group>
        {choice === anew && (
          <TextInput
            label={t('workspaceName')}
            value={newName}
            onChange={(event) => setNewName(event.currentTarget.value)}
            error={fields[2] === 'taken' ? t('workspaceTaken') : fields[2] && t('workspaceNameBad')}
            maxLength={120}
            required
          />
        )}
        <ChooseLanguage value={language} onChange={setLanguage} />
        {fields.every((rule) => rule === null) && <Failure error={act.error} />}
        <Button type="submit" loading={act.isPending}>
          {t('createAccount')}
        </Button>
      </Stack>
    </form>
  )
}
