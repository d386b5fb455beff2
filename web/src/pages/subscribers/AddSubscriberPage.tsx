/** The page adds one subscriber by hand. */
import { Alert, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { refusalCode } from '../../api/refusal.ts'
import { Form } from '../../parts/Form.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink, useGo } from '../../parts/links.tsx'
import { Page } from '../../parts/Page.tsx'
import { useForm } from '../../parts/use-form.ts'
import { ConsentChoice, consentOf, useConsent } from './ConsentChoice.tsx'
import { RecordFields, emptyRecord } from './RecordFields.tsx'
import { audienceReads } from './words.ts'

export function AddSubscriberPage() {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const { data } = useAsk('listMyWorkspaces')
  return (
    <Page
      title={t('addTitle')}
      about={t('addAbout')}
      back={{ to: 'subscribers', label: t('title') }}
    >
      {mayEdit && <NewSubscriber />}
      {data && !mayEdit && (
        <Alert color="gray" icon={<Icon name="help" />}>
          {t('onlyEditors')}
        </Alert>
      )}
    </Page>
  )
}

function NewSubscriber() {
  const { t } = useTranslation('subscribers')
  const go = useGo()
  const { mutateAsync } = useAct('addSubscriber', {
    refresh: [...audienceReads, 'listSubscriberTags'],
    done: ({ created, confirmation_sent: requested }) =>
      t(!created ? 'addedMerged' : requested ? 'addedAsked' : 'added'),
  })
  const [record, setRecord] = useState(emptyRecord)
  const { choice, choose, wasSent, setWasSent } = useConsent({ way: null, words: '' })
  const form = useForm({ email: '' }, async (values) => {
    setWasSent(true)
    const email = values.email.trim()
    const consent = consentOf(choice)
    if (email === '' || consent === undefined) return
    const { id } = await mutateAsync({ body: { ...record, email, consent } })
    await go(`subscribers/${id}`)
  })
  const email = form.text('email')
  const isSuppressed = refusalCode(form.error) === 'suppressed_recipient'
  return (
    <Form
      form={form}
      verb={t('add')}
      button="start"
      maw={720}
      gap="lg"
      noValidate
      failure={isSuppressed ? <Suppressed email={email.value} /> : undefined}
    >
      <TextInput
        type="email"
        label={t('address')}
        required
        autoComplete="off"
        spellCheck={false}
        {...email}
        error={wasSent && email.value.trim() === '' ? t('addressMissing') : email.error}
      />
      <RecordFields value={record} onChange={setRecord} />
      <ConsentChoice value={choice} onChange={choose} missing={wasSent} />
    </Form>
  )
}

/**
 * A contact who left or bounced comes back only by themself, or not at all: the contact's page
 * explains it.
 */
function Suppressed({ email }: { email: string }) {
  const { t } = useTranslation('subscribers')
  return (
    <Alert color="red" icon={<Icon name="warning" />} role="alert" title={t('addSuppressed')}>
      <PageLink to={`subscribers/${encodeURIComponent(email.trim().toLowerCase())}`}>
        {t('addSuppressedWhy')}
      </PageLink>
    </Alert>
  )
}
