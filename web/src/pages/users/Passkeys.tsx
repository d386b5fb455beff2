/** The person's passkeys: which there are, one more, one less. */
import { Button, Group, List, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { PasskeyHost } from './PasskeyHost.tsx'
import { AccountSection } from './AccountSection.tsx'
import { NoPasskey, hasPasskeys, isPasskeyHost, makePasskey } from './use-passkey.ts'

type Passkey = Got<'getWaysIn'>['passkeys'][number]

export function Passkeys(): ReactNode {
  const { t } = useTranslation('people')
  const { data, error, refetch } = useAsk('getWaysIn')
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const remove = useAct('removePasskey', { refresh: ['getWaysIn'] })
  const isHere = data !== undefined && isPasskeyHost(data.passkey_host)
  const add = hasPasskeys() && isHere && (
    <Button size="xs" variant="default" leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
      {t('addPasskey')}
    </Button>
  )
  return (
    <AccountSection title={t('passkeys')} about={t('passkeysAbout')} beside={add}>
      {!data && (error ? <Failure error={error} retry={() => void refetch()} /> : <Skeleton height={48} />)}
      {data && !isHere && <PasskeyHost host={data.passkey_host} />}
      {data && isHere && !hasPasskeys() && <Text size="sm">{t('noPasskeysHere')}</Text>}
      {data && data.passkeys.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('noPasskeys')}
        </Text>
      )}
      {data && data.passkeys.length > 0 && (
        <List listStyleType="none" spacing="sm">
          {data.passkeys.map((key) => (
            <List.Item key={key.id} styles={{ itemWrapper: { width: '100%' }, itemLabel: { width: '100%' } }}>
              <Group justify="space-between">
                <Stack gap={0}>
                  <Text fw={550}>{key.name}</Text>
                  <Text size="sm" c="dimmed" component="div">
                    {t('lastUsed')} {key.last_used_at === null ? t('never') : <Moment at={key.last_used_at} />}
                  </Text>
                </Stack>
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => setRemoving(key)}
                  aria-label={t('removeNamed', { name: key.name })}
                >
                  {t('remove')}
                </Button>
              </Group>
            </List.Item>
          ))}
        </List>
      )}
      <AddPasskey opened={isAdding} onClose={() => setAdding(false)} />
      <Confirm
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        title={t('removePasskeyTitle', { name: removing?.name })}
        verb={t('remove')}
        danger
        onConfirm={async () => {
          if (removing) await remove.mutateAsync({ params: { id: removing.id } })
        }}
      >
        {t('removePasskeyWhat')}
      </Confirm>
    </AccountSection>
  )
}

function AddPasskey({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const { t } = useTranslation('people')
  return (
    <Modal opened={opened} onClose={onClose} title={t('addPasskey')}>
      {opened && <Form onClose={onClose} />}
    </Modal>
  )
}

function Form({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation('people')
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const keep = useAct('addPasskey', { refresh: ['getWaysIn'] })
  const add = async (): Promise<void> => {
    setBusy(true)
    setProblem(null)
    try {
      await keep.mutateAsync({ body: await makePasskey(name) })
      notifyDone(t('passkeyAdded'))
      onClose()
    } catch (error) {
      setProblem(error)
    }
    setBusy(false)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <Stack>
        <TextInput
          label={t('passkeyName')}
          description={t('passkeyNameHow')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={120}
          data-autofocus
          required
        />
        {problem instanceof NoPasskey ? (
          <Text size="sm" role="alert">
            {t('noPasskeyMade')}
          </Text>
        ) : (
          <Failure error={problem} />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            {t('goOn')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
