/** The user's name, as others of their workspaces see it, and the language of mails to them. */
import { Select, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { userLimits } from 'virtual:contract'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { languageOptions } from '../../language.ts'
import { Form } from '../../parts/Form.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { useForm } from '../../parts/use-form.ts'
import { AccountSection } from './AccountSection.tsx'

export function Profile() {
  const { t } = useTranslation('users')
  const session = useAsk('getSession')
  return (
    <AccountSection title={t('profile')} about={t('profileAbout')}>
      <Loaded of={session} height={96}>
        {({ person: user }) => <ProfileForm user={user} />}
      </Loaded>
    </AccountSection>
  )
}

function ProfileForm({ user: { name, language } }: { user: Got<'getSession'>['person'] }) {
  const { t } = useTranslation('users')
  const { mutateAsync } = useAct('updateMe', { refresh: ['getSession'], done: t('saved') })
  const form = useForm({ name, language }, (body) => mutateAsync({ body }))
  return (
    <Form form={form} verb={t('save')} button="start">
      <TextInput
        label={t('name')}
        {...form.text('name')}
        maxLength={userLimits.nameMax}
        autoComplete="name"
      />
      <Select
        label={t('mailLanguage')}
        {...form.pick('language')}
        placeholder={t('asTheWorkspace')}
        data={languageOptions}
        clearable
        clearButtonProps={{ 'aria-label': t('asTheWorkspace') }}
      />
    </Form>
  )
}
