/**
 * The page lists suppressed addresses; the user looks one up, adds or lifts one, or imports a file
 * of them.
 */
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useAct, useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Icon } from '../../parts/Icon.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { type Column, Listing } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { Cause, type CauseEntry, CheckAddress } from './CheckAddress.tsx'
import { LiftSuppression } from './LiftSuppression.tsx'
import { useDisclosure } from '@mantine/hooks'
import type { SuppressionReason } from '../../../../src/contract/suppression.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { reasons } from './words.ts'

export function SuppressionPage() {
  const { t } = useTranslation('suppression')
  const mayEdit = useMay('editor')
  const read = useList('listSuppression')
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        mayEdit && (
          <>
            <ButtonLink
              to="suppression/import"
              variant="default"
              leftSection={<Icon name="upload" size={16} />}
            >
              {t('import')}
            </ButtonLink>
            <AddAddress />
          </>
        )
      }
    >
      <CheckAddress />
      <Listing
        label={t('title')}
        read={read}
        columns={columnsOf(t, mayEdit)}
        idOf={({ id }) => id}
        empty={{
          icon: 'suppression',
          title: t('none'),
          action: mayEdit && <AddAddress />,
          why: t('noneWhy'),
        }}
      />
    </Page>
  )
}

/** The service stores the suppression of an erased contact by a digest alone. */
const erased = 'erased@invalid'

const columnsOf = (t: TFunction<'suppression'>, mayEdit: boolean): Column<CauseEntry>[] => [
  {
    header: t('address'),
    cell: ({ email }) =>
      email === erased ? <Text>{t('erased')}</Text> : <UserText>{email}</UserText>,
  },
  { header: t('reason'), short: true, cell: ({ reason }) => t(keyOf('reason', reason)) },
  { header: t('since'), cell: ({ created_at: at }) => <Moment at={at} /> },
  { header: t('cause'), wideOnly: true, short: true, cell: (entry) => <Cause entry={entry} /> },
  ...(mayEdit
    ? [
        {
          header: t('actions'),
          align: 'end' as const,
          cell: ({ email }: CauseEntry) =>
            email === erased ? null : (
              <Group gap="xs" justify="flex-end">
                <LiftSuppression email={email} />
              </Group>
            ),
        },
      ]
    : []),
]

/** Suppresses one address by hand. */
const initial: { email: string; reason: SuppressionReason } = { email: '', reason: 'manual' }

function AddAddress() {
  const { t } = useTranslation('suppression')
  const [opened, { open, close }] = useDisclosure()
  const { mutateAsync } = useAct('addSuppression', {
    refresh: ['listSuppression'],
    done: ({ email }) => t('added', { email }),
  })
  return (
    <>
      <Button onClick={open} leftSection={<Icon name="plus" size={16} />}>
        {t('add')}
      </Button>
      <FormDialog
        opened={opened}
        onClose={close}
        title={t('add')}
        verb={t('addNow')}
        initial={initial}
        isReady={({ email }) => email.trim() !== ''}
        onSubmit={({ email, reason }) => mutateAsync({ body: { email: email.trim(), reason } })}
      >
        {(form) => (
          <>
            <Text>{t('addWhat')}</Text>
            <TextInput
              label={t('address')}
              {...form.text('email')}
              inputMode="email"
              autoComplete="off"
              required
              data-autofocus
            />
            <NativeSelect
              label={t('reason')}
              {...form.text('reason')}
              data={reasons.map((value) => ({ value, label: t(keyOf('reason', value)) }))}
            />
          </>
        )}
      </FormDialog>
    </>
  )
}
