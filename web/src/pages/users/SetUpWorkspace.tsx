/**
 * The workspace of the first account: chosen by the browser's language and what there is already,
 * and changed by one press.
 */
import { Anchor, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { settingLimits } from 'virtual:contract'
import type { RecipientLanguage } from '../../language.ts'
import type { FormState } from '../../parts/use-form.ts'
import { ChooseLanguage } from './ChooseLanguage.tsx'
import { ruleAt } from './rule-at.ts'

/** The choice of a new workspace; no slug has a colon. */
export const ofNew = ':new'

interface SetUpWorkspaceProps {
  form: FormState<{
    name: string
    email: string
    password: string
    workspace: string
    new_workspace: string
    language: RecipientLanguage
  }>
  workspaces: { slug: string; name: string }[]
}

export function SetUpWorkspace({ form, workspaces }: SetUpWorkspaceProps) {
  const { t, i18n } = useTranslation('users')
  const [isOpen, { open }] = useDisclosure()
  const rule = ruleAt(form.error, 'new_workspace')
  const { workspace, new_workspace: newName, language } = form.values
  if (!isOpen && rule === null)
    return (
      <Text c="dimmed">
        {t('setUpInto', {
          workspace: workspaces.find(({ slug }) => slug === workspace)?.name ?? newName,
          language: new Intl.DisplayNames(i18n.language, { type: 'language' }).of(language),
        })}{' '}
        <Anchor component="button" type="button" onClick={open}>
          {t('change')}
        </Anchor>
      </Text>
    )
  return (
    <>
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
      {workspace === ofNew && (
        <TextInput
          label={t('workspaceName')}
          {...form.text('new_workspace')}
          error={rule === 'taken' ? t('workspaceTaken') : rule && t('workspaceNameBad')}
          maxLength={settingLimits.workspaceNameMax}
          required
        />
      )}
      <ChooseLanguage {...form.pick('language')} />
    </>
  )
}
