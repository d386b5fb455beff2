/** Adds a sender, or gives one another name. */
import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { settingLimits } from 'virtual:contract'
import type { Sender } from '../../../../src/contract/workspace/senders.ts'
import { refusalCode } from '../../api/refusal.ts'
import { useAct } from '../../api/use-ask.ts'
import { FormDialog, type DialogProps } from '../../parts/FormDialog.tsx'
import { PageLink } from '../../parts/links.tsx'

/** The pages read these again when a sender changes. */
export const senderReads = ['listSenders', 'getSettings', 'getAccount', 'listForms'] as const

export const AddSender = ({ opened, onClose }: DialogProps) => (
  <SenderForm sender={opened ? 'new' : null} onClose={onClose} />
)

/** `sender`: the one that is renamed; `new`: one to add. Null means closed. */
export function SenderForm({
  sender,
  onClose,
}: {
  sender: Sender | 'new' | null
  onClose: () => void
}) {
  const { t } = useTranslation('settings')
  const add = useAct('addSender', { refresh: senderReads })
  const update = useAct('updateSender', { refresh: senderReads })
  const renamed = sender === 'new' ? null : sender
  return (
    <FormDialog
      opened={sender !== null}
      onClose={onClose}
      title={renamed ? t('renameSender') : t('addSender')}
      verb={renamed ? t('save') : t('addSender')}
      noValidate
      initial={{ email: renamed?.email ?? '', name: renamed?.name ?? '' }}
      onSubmit={({ email, name }) =>
        renamed
          ? update.mutateAsync({ params: { id: renamed.id }, body: { name } })
          : add.mutateAsync({ body: { email, name } })
      }
      failureOf={(error) => (isUnverified(error) ? false : undefined)}
    >
      {(form) => {
        const email = form.text('email')
        return (
          <>
            <TextInput
              label={t('address')}
              description={t('senderAddressWhy')}
              type="email"
              {...email}
              error={
                isUnverified(form.error) ? <UnverifiedDomain email={email.value} /> : email.error
              }
              disabled={renamed !== null}
              required
              data-autofocus={renamed === null ? true : undefined}
            />
            <TextInput
              label={t('shownName')}
              description={t('shownNameWhy')}
              {...form.text('name')}
              maxLength={settingLimits.senderNameMax}
              data-autofocus={renamed === null ? undefined : true}
            />
          </>
        )
      }}
    </FormDialog>
  )
}

const isUnverified = (error: unknown): boolean => refusalCode(error) === 'unverified_from_domain'

function UnverifiedDomain({ email }: { email: string }) {
  const { t } = useTranslation('settings')
  return (
    <>
      {t('senderDomainUnverified', { domain: email.trim().split('@').at(-1) })}{' '}
      <PageLink to="settings/domains" inherit underline="always">
        {t('domains')}
      </PageLink>
    </>
  )
}
