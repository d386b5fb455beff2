/** One person is added by hand. */
import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { refusalCode } from '../../api/refusal.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink, usePlace } from '../../parts/links.tsx'
import { Page } from '../../parts/Page.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { ConsentChoice, consentOf } from './ConsentChoice.tsx'
import type { Consent } from './ConsentChoice.tsx'
import { RecordFields, emptyRecord } from './RecordFields.tsx'

export function AddSubscriberPage(): ReactNode {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const { data } = useAsk('listMyWorkspaces')
  return (
    <Page title={t('addTitle')} about={t('addAbout')} back={{ to: 'subscribers', label: t('title') }}>
      {mayEdit && <NewSubscriber />}
      {data && !mayEdit && (
        <Alert color="gray" icon={<Icon name="help" />}>
          {t('onlyEditors')}
        </Alert>
      )}
    </Page>
  )
}

function NewSubscriber(): ReactNode {
  const { t } = useTranslation('subscribers')
  const place = usePlace()
  const navigate = useNavigate()
  const { mutate, isPending, error } = useAct('enrolSubscriber', { refresh: ['findSubscribers', 'listSubscriberTags'] })
  const [email, setEmail] = useState('')
  const [record, setRecord] = useState(emptyRecord)
  const [choice, setChoice] = useState<Consent>({ way: null, words: '' })
  const [wasSent, setWasSent] = useState(false)
  // What a choice asks for next is not missing before the next press.
  const choose = (next: Consent): void => {
    if (next.way !== choice.way) setWasSent(false)
    setChoice(next)
  }
  const submit = (): void => {
    setWasSent(true)
    const consent = consentOf(choice)
    if (email.trim() === '' || consent === undefined) return
    mutate(
      { body: { ...record, email: email.trim(), consent } },
      {
        onSuccess: ({ id, created, confirmation_sent: asked }) => {
          notifyDone(created ? (asked ? t('addedAsked') : t('added')) : t('addedMerged'))
          void navigate({ to: place(`subscribers/${id}`) })
        },
      },
    )
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack maw={720} gap="lg">
        <TextInput
          type="email"
          label={t('address')}
          required
          autoComplete="off"
          spellCheck={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={wasSent && email.trim() === '' && t('addressMissing')}
        />
        <RecordFields value={record} onChange={setRecord} />
        <ConsentChoice value={choice} onChange={choose} missing={wasSent} />
        {refusalCode(error) === 'suppressed_recipient' ? <Closed email={email} /> : <Failure error={error} />}
        <Group>
          <Button type="submit" loading={isPending}>
            {t('add')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Whoever left or bounced comes back by themself, or not at all: the page of the person says which. */
function Closed({ email }: { email: string }): ReactNode {
  const { t } = useTranslation('subscribers')
  return (
    <Alert color="red" icon={<Icon name="warning" />} role="alert" title={t('addClosed')}>
      <PageLink to={`subscribers/${encodeURIComponent(email.trim().toLowerCase())}`}>{t('addClosedWhy')}</PageLink>
    </Alert>
  )
}
