/**
 * The list holds the names and custom fields that a form asks beside the address; buttons change
 * their order.
 */
import { ActionIcon, Button, Group, Menu, Paper, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { audienceLimits, settingLimits } from 'virtual:contract'
import { Icon } from '../../parts/Icon.tsx'
import classes from './FormEditor.module.css'
import { problemAt } from '../../api/field-problem.ts'
import type { DraftAsk } from './form-draft.ts'

interface FormAsksProps {
  asks: DraftAsk[]
  onChange: (asks: DraftAsk[]) => void
  error: unknown
  disabled: boolean
}

export function FormAsks({ asks, onChange, error, disabled }: FormAsksProps) {
  const { t } = useTranslation('settings')
  const change = (at: number, part: Partial<DraftAsk>): void =>
    onChange(asks.map((ask, index) => (index === at ? { ...ask, ...part } : ask)))
  const move = (at: number, by: number): void => {
    const [taken] = asks.slice(at, at + 1)
    if (taken) onChange(asks.toSpliced(at, 1).toSpliced(at + by, 0, taken))
  }
  const add = (kind: DraftAsk['kind']): void =>
    onChange([
      ...asks,
      { key: crypto.getRandomValues(new Uint32Array(2)).join('-'), kind, name: '', label: '' },
    ])
  const actsOn = (at: number, name: string) => [
    {
      icon: 'up' as const,
      label: t('moveUp', { name }),
      isOff: at === 0,
      onClick: () => move(at, -1),
    },
    {
      icon: 'down' as const,
      label: t('moveDown', { name }),
      isOff: at === asks.length - 1,
      onClick: () => move(at, 1),
    },
    {
      icon: 'trash' as const,
      label: t('removeNamed', { name }),
      isOff: false,
      onClick: () => onChange(asks.toSpliced(at, 1)),
    },
  ]
  const has = (kind: DraftAsk['kind']): boolean => asks.some((ask) => ask.kind === kind)
  return (
    <Stack gap="sm">
      <Text c="dimmed">{t('formFieldsWhy')}</Text>
      <ol aria-label={t('formFields')} className={classes.list}>
        {asks.map((ask, at) => (
          <li key={ask.key}>
            <Ask
              ask={ask}
              problem={(part) => problemAt(error, `asks.${at}.${part}`)}
              onChange={(part) => change(at, part)}
              actions={
                <Group gap={4} wrap="nowrap">
                  {actsOn(at, nameOf(ask, t)).map(({ icon, label, isOff, onClick }) => (
                    <ActionIcon
                      key={icon}
                      variant="subtle"
                      color="gray"
                      aria-label={label}
                      disabled={disabled || isOff}
                      onClick={onClick}
                    >
                      <Icon name={icon} size={16} />
                    </ActionIcon>
                  ))}
                </Group>
              }
            />
          </li>
        ))}
      </ol>
      {asks.length < settingLimits.formAsksMax && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button
              variant="default"
              leftSection={<Icon name="plus" />}
              disabled={disabled}
              style={{ alignSelf: 'flex-start' }}
            >
              {t('addField')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => add('firstName')} disabled={has('firstName')}>
              {t('firstName')}
            </Menu.Item>
            <Menu.Item onClick={() => add('lastName')} disabled={has('lastName')}>
              {t('lastName')}
            </Menu.Item>
            <Menu.Item onClick={() => add('field')}>{t('customField')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </Stack>
  )
}

const nameOf = ({ kind, name, label }: DraftAsk, t: TFunction<'settings'>): string =>
  kind === 'field' ? label || name || t('customField') : t(kind)

interface AskProps {
  ask: DraftAsk
  problem: (part: 'field' | 'label') => string | null
  onChange: (part: Partial<DraftAsk>) => void
  actions: ReactNode
}

function Ask({ ask, problem, onChange, actions }: AskProps) {
  const { t } = useTranslation('settings')
  return (
    <Paper p="sm" mb="xs">
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Text fw={550}>{nameOf(ask, t)}</Text>
        {actions}
      </Group>
      <Stack gap="xs">
        {ask.kind === 'field' && (
          <TextInput
            label={t('fieldName')}
            description={t('fieldNameWhy')}
            placeholder="city"
            value={ask.name}
            onChange={(event) => onChange({ name: event.currentTarget.value })}
            error={problem('field')}
            maxLength={audienceLimits.fieldKeyMax}
            autoCapitalize="none"
            spellCheck={false}
            required
          />
        )}
        <TextInput
          label={t('fieldLabel')}
          placeholder={ask.kind === 'field' ? ask.name : t('oursIfEmpty')}
          value={ask.label}
          onChange={(event) => onChange({ label: event.currentTarget.value })}
          error={problem('label')}
          maxLength={settingLimits.formLabelMax}
        />
      </Stack>
    </Paper>
  )
}
