/** Adds a domain, and goes on to the records that it needs. */
import { Collapse, Group, Stack, TextInput, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { FormDialog, type DialogProps } from '../../parts/FormDialog.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useGo } from '../../parts/links.tsx'
import type { FormState } from '../../parts/use-form.ts'

const initial = { name: '', return_path_host: '', tracking_host: '' }

export function AddDomain(dialog: DialogProps) {
  const { t } = useTranslation('settings')
  const go = useGo()
  const { mutateAsync } = useAct('addDomain', {
    refresh: ['listDomains', 'getAccount', 'listSenders'],
  })
  return (
    <FormDialog
      {...dialog}
      title={t('addDomain')}
      verb={t('addDomain')}
      noValidate
      initial={initial}
      onSubmit={async (body) => {
        const { name } = await mutateAsync({ body })
        await go(`settings/domains/${name}`)
      }}
    >
      {(form) => (
        <>
          <TextInput
            label={t('domain')}
            description={t('domainNameWhy')}
            placeholder="mail.example.com"
            {...form.text('name')}
            autoCapitalize="none"
            spellCheck={false}
            required
            data-autofocus
          />
          <Hosts form={form} />
        </>
      )}
    </FormDialog>
  )
}

/** Hosts of the workspace's own, in place of those that follow from the domain. */
function Hosts({ form }: { form: FormState<typeof initial> }) {
  const { t } = useTranslation('settings')
  const [isShown, { toggle }] = useDisclosure()
  const domain = form.values.name.trim() || t('yourDomain')
  return (
    <>
      <UnstyledButton onClick={toggle} aria-expanded={isShown} fz="sm" c="dimmed">
        <Group gap={4}>
          <Icon name={isShown ? 'down' : 'next'} size={14} />
          {t('ownHosts')}
        </Group>
      </UnstyledButton>
      <Collapse expanded={isShown}>
        <Stack>
          <TextInput
            label={t('returnPathHost')}
            description={t('returnPathHostWhy')}
            placeholder={`bounce.${domain}`}
            {...form.text('return_path_host')}
          />
          <TextInput
            label={t('trackingHost')}
            description={t('trackingHostWhy')}
            placeholder={`links.${domain}`}
            {...form.text('tracking_host')}
          />
        </Stack>
      </Collapse>
    </>
  )
}
