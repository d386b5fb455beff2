/** The list shows the user's passkeys; the user adds and removes them here. */
import { Button, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { userLimits } from 'virtual:contract'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { FormDialog, type DialogProps } from '../../parts/FormDialog.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { PasskeyHost } from './PasskeyHost.tsx'
import { AccountSection } from './AccountSection.tsx'
import { NoPasskey, hasPasskeys, isPasskeyHost, makePasskey } from './use-passkey.ts'

type Ways = Got<'getWaysIn'>

export function Passkeys() {
  const { t } = useTranslation('users')
  const ways = useAsk('getWaysIn')
  const [isAdding, { open, close }] = useDisclosure()
  const add = hasPasskeys() && ways.data && isPasskeyHost(ways.data.passkey_host) && (
    <Button size="xs" variant="default" leftSection={<Icon name="plus" size={16} />} onClick={open}>
      {t('addPasskey')}
    </Button>
  )
  return (
    <AccountSection title={t('passkeys')} about={t('passkeysAbout')} beside={add}>
      <Loaded of={ways} height={48}>
        {(data) => <Known ways={data} />}
      </Loaded>
      <AddPasskey opened={isAdding} onClose={close} />
    </AccountSection>
  )
}

function Known({ ways: { passkeys, passkey_host: host } }: { ways: Ways }) {
  const { t } = useTranslation('users')
  const isHere = isPasskeyHost(host)
  return (
    <>
      {!isHere && <PasskeyHost host={host} />}
      {isHere && !hasPasskeys() && <Text>{t('noPasskeysHere')}</Text>}
      {passkeys.length === 0 ? (
        <Text c="dimmed">{t('noPasskeys')}</Text>
      ) : (
        <List listStyleType="none" spacing="sm">
          {passkeys.map((key) => (
            <List.Item
              key={key.id}
              styles={{ itemWrapper: { width: '100%' }, itemLabel: { width: '100%' } }}
            >
              <Group justify="space-between">
                <Stack gap={0}>
                  <Text size="md" fw={550}>
                    {key.name}
                  </Text>
                  <Text c="dimmed" component="div">
                    {t('lastUsed')}{' '}
                    {key.last_used_at === null ? t('never') : <Moment at={key.last_used_at} />}
                  </Text>
                </Stack>
                <RemovePasskey passkey={key} />
              </Group>
            </List.Item>
          ))}
        </List>
      )}
    </>
  )
}

function RemovePasskey({ passkey: { id, name } }: { passkey: Ways['passkeys'][number] }) {
  const { t } = useTranslation('users')
  const { mutateAsync } = useAct('removePasskey', { refresh: ['getWaysIn'] })
  return (
    <ConfirmButton
      label={t('remove')}
      size="xs"
      name={t('removeNamed', { name })}
      title={t('removePasskeyTitle', { name })}
      danger
      onConfirm={() => mutateAsync({ params: { id } })}
    >
      {t('removePasskeyWhat')}
    </ConfirmButton>
  )
}

function AddPasskey(dialog: DialogProps) {
  const { t } = useTranslation('users')
  const { mutateAsync } = useAct('addPasskey', { refresh: ['getWaysIn'], done: t('passkeyAdded') })
  const noneMade = <Text role="alert">{t('noPasskeyMade')}</Text>
  return (
    <FormDialog
      {...dialog}
      title={t('addPasskey')}
      verb={t('goOn')}
      initial={{ name: '' }}
      onSubmit={async ({ name }) => mutateAsync({ body: await makePasskey(name) })}
      failureOf={(error) => (error instanceof NoPasskey ? noneMade : undefined)}
    >
      {(form) => (
        <TextInput
          label={t('passkeyName')}
          description={t('passkeyNameHow')}
          {...form.text('name')}
          maxLength={userLimits.nameMax}
          data-autofocus
          required
        />
      )}
    </FormDialog>
  )
}
