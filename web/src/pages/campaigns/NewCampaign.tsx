/** Begins a campaign: its name, and in which of three ways it is written. */
import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignKind } from '../../../../src/contract/campaign-fields.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { usePlace } from '../../parts/links.tsx'
import { ways } from './editor/ways.ts'
import classes from './NewCampaign.module.css'

export function NewCampaign({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const { t } = useTranslation('drafts')
  return (
    <Modal opened={opened} onClose={onClose} title={t('create')} size="lg">
      {opened && <Form onClose={onClose} />}
    </Modal>
  )
}

function Form({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation('drafts')
  const navigate = useNavigate()
  const place = usePlace()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<CampaignKind>('content')
  const { data: choices } = useAsk('listDraftChoices')
  const create = useAct('createDraft', { refresh: ['searchCampaigns'] })
  const { trackOpens = true, trackClicks = true } = choices ?? {}
  const submit = (): void => {
    const empty = { subject: '', preheader: '', from: null, text: '', content: [], html: '' }
    create.mutate(
      { body: { ...empty, name: name.trim(), kind, trackOpens, trackClicks } },
      { onSuccess: ({ id }) => void navigate({ to: place(`campaigns/${id}/edit`) }) },
    )
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <TextInput
          label={t('name')}
          description={t('nameWhy')}
          value={name}
          maxLength={120}
          required
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Radio.Group label={t('way')} value={kind} onChange={(value) => setKind(ways.find((way) => way === value) ?? 'content')}>
          <Stack gap="xs" mt="xs">
            {ways.map((way) => (
              <label key={way} className={classes.way} data-chosen={way === kind}>
                <Group wrap="nowrap" align="flex-start">
                  <Radio value={way} mt={2} />
                  <div>
                    <Text fw={550}>{t(`way_${way}`)}</Text>
                    <Text size="sm" c="dimmed">
                      {t(`wayWhy_${way}`)}
                    </Text>
                  </div>
                </Group>
              </label>
            ))}
          </Stack>
        </Radio.Group>
        <Failure error={create.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending || create.isSuccess} disabled={name.trim() === '' || !choices}>
            {t('begin')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
