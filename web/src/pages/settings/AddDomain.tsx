/** Adds a domain, and goes on to the records that it needs. */
import { Button, Collapse, Group, Modal, Stack, TextInput, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode, SubmitEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { usePlace } from '../../parts/links.tsx'
import { isAbout, problemAt } from '../../parts/field-problem.ts'

export function AddDomain({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const { t } = useTranslation('settings')
  return (
    <Modal opened={opened} onClose={onClose} title={t('addDomain')}>
      {opened && <Fields onClose={onClose} />}
    </Modal>
  )
}

const paths = ['name', 'return_path_host', 'tracking_host']

function Fields({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation('settings')
  const place = usePlace()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [returnPath, setReturnPath] = useState('')
  const [tracking, setTracking] = useState('')
  const [showsHosts, { toggle }] = useDisclosure()
  const add = useAct('addDomain', { refresh: ['listDomains', 'getAccount', 'listSenders'] })
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const body = { name, return_path_host: returnPath, tracking_host: tracking }
    add.mutate({ body }, { onSuccess: (domain) => void navigate({ to: place(`settings/domains/${domain.name}`) }) })
  }
  const usual = name.trim() === '' ? t('yourDomain') : name.trim()
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('domain')}
          description={t('domainNameWhy')}
          placeholder="mail.example.com"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemAt(add.error, 'name', t)}
          autoCapitalize="none"
          spellCheck={false}
          required
          data-autofocus
        />
        <UnstyledButton onClick={toggle} aria-expanded={showsHosts} fz="sm" c="dimmed">
          <Group gap={4}>
            <Icon name={showsHosts ? 'down' : 'next'} size={14} />
            {t('ownHosts')}
          </Group>
        </UnstyledButton>
        <Collapse expanded={showsHosts}>
          <Stack>
            <TextInput
              label={t('returnPathHost')}
              description={t('returnPathHostWhy')}
              placeholder={`bounce.${usual}`}
              value={returnPath}
              onChange={(event) => setReturnPath(event.currentTarget.value)}
              error={problemAt(add.error, 'return_path_host', t)}
            />
            <TextInput
              label={t('trackingHost')}
              description={t('trackingHostWhy')}
              placeholder={`links.${usual}`}
              value={tracking}
              onChange={(event) => setTracking(event.currentTarget.value)}
              error={problemAt(add.error, 'tracking_host', t)}
            />
          </Stack>
        </Collapse>
        {!isAbout(add.error, paths) && <Failure error={add.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {t('addDomain')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
