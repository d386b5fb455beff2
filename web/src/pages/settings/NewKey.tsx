/** Makes a key from a name, scopes and an expiry, and shows the key once. */
import { scopes, settingLimits } from 'virtual:contract'
import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Code,
  Group,
  NativeSelect,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Scope } from '../../../../src/contract/scopes.ts'
import { useAct } from '../../api/use-ask.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { FormDialog, OnceDialog, type DialogProps } from '../../parts/FormDialog.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { problemAt } from '../../api/field-problem.ts'
import type { FormState } from '../../parts/use-form.ts'

export function NewKey(dialog: DialogProps) {
  const { t } = useTranslation('settings')
  const { mutateAsync } = useAct('createApiKey', { refresh: ['listApiKeys', 'getAccount'] })
  const [secret, setKey] = useState<string | null>(null)
  const close = (): void => setKey(null)
  return (
    <>
      <FormDialog
        {...dialog}
        title={t('createKey')}
        size="lg"
        verb={t('createKey')}
        noValidate
        initial={initial}
        onSubmit={async ({ name, scopes: chosen, expires_at: end, day }) => {
          const { key } = await mutateAsync({
            body: { name, scopes: chosen, expires_at: momentOf(end, day) },
          })
          setKey(key)
        }}
      >
        {(form) => <Fields form={form} />}
      </FormDialog>
      <OnceDialog opened={secret !== null} onClose={close} title={t('keyMade')} size="lg">
        {secret !== null && <MadeKey value={secret} onClose={close} />}
      </OnceDialog>
    </>
  )
}

const ends = ['never', '30', '90', '365', 'day'] as const
type End = (typeof ends)[number]

/** A chosen day ends at midnight in the reader's zone. */
function momentOf(end: End, day: string): string | null {
  if (end === 'never') return null
  if (end === 'day') return day === '' ? '' : new Date(`${day}T23:59:59`).toISOString()
  return new Date(Date.now() + Number(end) * 86_400_000).toISOString()
}

interface KeyDraft {
  name: string
  scopes: Scope[]
  expires_at: End
  /** The last day, where one is chosen. */
  day: string
}

const initial: KeyDraft = { name: '', scopes: ['emails:send'], expires_at: 'never', day: '' }

function Fields({ form }: { form: FormState<KeyDraft> }) {
  const { t } = useTranslation('settings')
  const isDay = form.values.expires_at === 'day'
  const problem = problemAt(form.error, 'expires_at')
  return (
    <>
      <TextInput
        label={t('name')}
        description={t('keyNameWhy')}
        placeholder={t('keyNameExample')}
        {...form.text('name')}
        maxLength={settingLimits.keyNameMax}
        required
        data-autofocus
      />
      <Checkbox.Group<Scope>
        label={t('permissions')}
        description={t('permissionsWhy')}
        {...form.pick('scopes')}
        error={problemAt(form.error, 'scopes')}
        required
      >
        <Stack gap="xs" mt="xs">
          {scopes.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={<Code>{scope}</Code>}
              description={t(keyOf('scope', scope))}
            />
          ))}
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => form.set({ scopes })}
            style={{ alignSelf: 'flex-start' }}
          >
            {t('choosePermissions')}
          </Anchor>
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        label={t('worksUntil')}
        {...form.text('expires_at')}
        data={ends.map((value) => ({ value, label: t(keyOf('end', value)) }))}
        error={isDay ? null : problem}
      />
      {isDay && (
        <TextInput
          type="date"
          label={t('lastDay')}
          {...form.text('day')}
          error={problem}
          required
        />
      )}
    </>
  )
}

function MadeKey({ value, onClose }: { value: string; onClose: () => void }) {
  const { t } = useTranslation('settings')
  return (
    <Stack>
      <Alert color="yellow" icon={<Icon name="warning" />} title={t('shownOnce')} role="status">
        {t('shownOnceWhy')}
      </Alert>
      <CopyField value={value} label={t('theKey')} wrap />
      <Text c="dimmed">{t('howToSendKey')}</Text>
      <CopyField value={`Authorization: Bearer ${value}`} label={t('theHeader')} wrap />
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('keyKept')}</Button>
      </Group>
    </Stack>
  )
}
