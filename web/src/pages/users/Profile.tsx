/** The person's name, as others of their workspaces see it, and the language of mails to them. */
import { Button, Group, Select, Skeleton, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { AccountSection } from './AccountSection.tsx'

export function Profile(): ReactNode {
  const { t } = useTranslation('people')
  const { data, error, refetch } = useAsk('getSession')
  return (
    <AccountSection title={t('profile')} about={t('profileAbout')}>
      {error && !data ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : data ? (
        <Form person={data.person} />
      ) : (
        <Skeleton height={96} />
      )}
    </AccountSection>
  )
}

function Form({ person }: { person: Got<'getSession'>['person'] }): ReactNode {
  const { t } = useTranslation('people')
  const [name, setName] = useState(person.name)
  const [language, setLanguage] = useState<string | null>(person.language)
  const act = useAct('updateMe', { refresh: ['getSession'] })
  const save = async (): Promise<void> => {
    await act.mutateAsync({ body: { name, language: language === 'fr' || language === 'en' ? language : null } })
    notifyDone(t('saved'))
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save().catch(() => undefined)
      }}
    >
      <Stack>
        <TextInput
          label={t('name')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={120}
          autoComplete="name"
        />
        <Select
          label={t('mailLanguage')}
          value={language}
          onChange={setLanguage}
          placeholder={t('asTheWorkspace')}
          data={[
            { value: 'en', label: 'English' },
            { value: 'fr', label: 'Français' },
          ]}
          clearable
          clearButtonProps={{ 'aria-label': t('asTheWorkspace') }}
        />
        <Failure error={act.error} />
        <Group>
          <Button type="submit" loading={act.isPending}>
            {t('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
