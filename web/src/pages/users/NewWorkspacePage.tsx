/** A new workspace, with its own domains, keys and people; whoever makes it owns it. */
import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { refusalCode } from '../../api/refusal.ts'
import { useAct } from '../../api/use-ask.ts'
import { languageNow } from '../../language.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Page } from '../../parts/Page.tsx'
import { ChooseLanguage } from './ChooseLanguage.tsx'
import { UserLayout } from './UserLayout.tsx'
import { reasonOf, ruleAt } from './rule-at.ts'

export function NewWorkspacePage(): ReactNode {
  const { t } = useTranslation('people')
  const [name, setName] = useState('')
  const [language, setLanguage] = useState(languageNow)
  const act = useAct('addWorkspace', { refresh: ['listMyWorkspaces'] })
  const submit = async (): Promise<void> => {
    const { slug } = await act.mutateAsync({ body: { name, language } })
    window.location.assign(`/app/${slug}/overview`)
  }
  const isTaken = reasonOf(act.error) === 'name_taken'
  const rule = ruleAt(act.error, 'name')
  return (
    <UserLayout>
      <Page title={t('newWorkspace')} about={t('newWorkspaceAbout')}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void submit().catch(() => undefined)
          }}
        >
          <Stack maw={440}>
            <TextInput
              label={t('workspaceName')}
              description={t('workspaceNameHow')}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={isTaken ? t('workspaceTaken') : rule && t('workspaceNameBad')}
              maxLength={120}
              required
            />
            <ChooseLanguage value={language} onChange={setLanguage} />
            {refusalCode(act.error) === 'insufficient_role' ? (
              <Alert color="yellow" role="alert" icon={<Icon name="warning" />}>
                {t('ownersAddWorkspaces')}
              </Alert>
            ) : (
              !isTaken && rule === null && <Failure error={act.error} />
            )}
            <Group>
              <Button type="submit" loading={act.isPending}>
                {t('createWorkspace')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Page>
    </UserLayout>
  )
}
