/** Makes a key: a name, what it may do, until when; then the key itself, this once. */
import { Alert, Anchor, Button, Checkbox, Code, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode, SubmitEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { Scope } from '../../../../src/contract/scopes.ts'
import { useAct } from '../../api/use-ask.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { isAbout, problemAt } from '../../parts/field-problem.ts'
import { isScope, scopes, scopeTexts } from './scopes.ts'

interface NewKeyProps {
  opened: boolean
  onClose: () => void
}

/** While the key is shown nothing but its button closes the dialog: what is closed by mistake is lost. */
export function NewKey({ opened, onClose }: NewKeyProps): ReactNode {
  const { t } = useTranslation('settings')
  const [made, setMade] = useState<string | null>(null)
  const close = (): void => {
    setMade(null)
    onClose()
  }
  const isShown = made !== null
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={isShown ? t('keyMade') : t('createKey')}
      size="lg"
      closeOnClickOutside={!isShown}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
    >
      {opened && (isShown ? <MadeKey value={made} onClose={close} /> : <KeyForm onMade={setMade} onClose={close} />)}
    </Modal>
  )
}

const ends = ['never', '30', '90', '365', 'day'] as const
type End = (typeof ends)[number]
const endTexts: Record<End, string> = {
  never: 'endNever',
  30: 'end30',
  90: 'end90',
  365: 'end365',
  day: 'endDay',
}

const isEnd = (text: string): text is End => ends.some((end) => end === text)

/** A day ends where the reader is. */
function momentOf(end: End, day: string): string | null {
  if (end === 'never') return null
  if (end === 'day') return day === '' ? '' : new Date(`${day}T23:59:59`).toISOString()
  return new Date(Date.now() + Number(end) * 86_400_000).toISOString()
}

function KeyForm({ onMade, onClose }: { onMade: (key: string) => void; onClose: () => void }): ReactNode {
  const { t } = useTranslation('settings')
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<Scope[]>(['emails:send'])
  const [end, setEnd] = useState<End>('never')
  const [day, setDay] = useState('')
  const create = useAct('createApiKey', { refresh: ['listApiKeys', 'getAccount'] })
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const body = { name, scopes: chosen, expires_at: momentOf(end, day) }
    create.mutate({ body }, { onSuccess: ({ key }) => onMade(key) })
  }
  const problem = (path: string): string | null => problemAt(create.error, path, t)
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('name')}
          description={t('keyNameWhy')}
          placeholder={t('keyNameExample')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem('name')}
          maxLength={120}
          required
          data-autofocus
        />
        <Checkbox.Group
          label={t('permissions')}
          description={t('permissionsWhy')}
          value={chosen}
          onChange={(values) => setChosen(values.filter(isScope))}
          error={problem('scopes')}
          required
        >
          <Stack gap="xs" mt="xs">
            {scopes.map((scope) => (
              <Checkbox key={scope} value={scope} label={<Code>{scope}</Code>} description={t(scopeTexts[scope])} />
            ))}
            <Anchor
              component="button"
              type="button"
              size="sm"
              onClick={() => setChosen(scopes)}
              style={{ alignSelf: 'flex-start' }}
            >
              {t('choosePermissions')}
            </Anchor>
          </Stack>
        </Checkbox.Group>
        <NativeSelect
          label={t('worksUntil')}
          value={end}
          onChange={({ currentTarget: { value } }) => setEnd(isEnd(value) ? value : 'never')}
          data={ends.map((value) => ({ value, label: t(endTexts[value]) }))}
          error={end === 'day' ? null : problem('expires_at')}
        />
        {end === 'day' && (
          <TextInput
            type="date"
            label={t('lastDay')}
            value={day}
            onChange={(event) => setDay(event.currentTarget.value)}
            error={problem('expires_at')}
            required
          />
        )}
        {!isAbout(create.error, ['name', 'scopes', 'expires_at']) && <Failure error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('createKey')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function MadeKey({ value, onClose }: { value: string; onClose: () => void }): ReactNode {
  const { t } = useTranslation('settings')
  return (
    <Stack>
      <Alert color="yellow" icon={<Icon name="warning" />} title={t('shownOnce')} role="status">
        {t('shownOnceWhy')}
      </Alert>
      <CopyField value={value} label={t('theKey')} wrap />
      <Text size="sm" c="dimmed">
        {t('howToSendKey')}
      </Text>
      <CopyField value={`Authorization: Bearer ${value}`} label={t('theHeader')} wrap />
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('keyKept')}</Button>
      </Group>
    </Stack>
  )
}
