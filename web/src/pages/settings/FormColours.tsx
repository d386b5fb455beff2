/**
 * The user chooses the colours of a form's page; the service checks at each choice whether they are
 * readable.
 */
import { ColorInput, Stack, Switch, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Status } from '../../parts/Status.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { problemAt } from '../../api/field-problem.ts'
import type { FormDraft } from './form-draft.ts'

interface FormColoursProps {
  draft: FormDraft
  onChange: (change: Partial<FormDraft>) => void
  contrast: { text: number; button: number } | null
  error: unknown
}

const parts = ['background', 'text', 'button'] as const

export function FormColours({ draft, onChange, contrast, error }: FormColoursProps) {
  const { t } = useTranslation('settings')
  const { ownColours, colours } = draft
  return (
    <Stack>
      <Switch
        label={t('ownColours')}
        description={t('ownColoursWhy')}
        checked={ownColours}
        onChange={(event) => onChange({ ownColours: event.currentTarget.checked })}
      />
      {ownColours && (
        <>
          {parts.map((part) => (
            <ColorInput
              key={part}
              label={t(keyOf('colour', part))}
              format="hex"
              value={colours[part]}
              onChange={(value) =>
                onChange({ colours: { ...colours, [part]: value.toLowerCase() } })
              }
              error={problemAt(error, `colours.${part}`)}
              popoverProps={{ withinPortal: true }}
              eyeDropperButtonProps={{ 'aria-label': t('pickColour') }}
            />
          ))}
          <div aria-live="polite">
            {contrast && (
              <Stack gap="xs">
                <Ratio name={t('textOnBackground')} ratio={contrast.text} least={4.5} />
                <Ratio name={t('buttonOnBackground')} ratio={contrast.button} least={3} />
              </Stack>
            )}
          </div>
        </>
      )}
    </Stack>
  )
}

/** `least`: WCAG 2.2, 1.4.3 and 1.4.11; the service refuses less. */
function Ratio({ name, ratio, least }: { name: string; ratio: number; least: number }) {
  const { t, i18n } = useTranslation('settings')
  const number = (value: number): string =>
    value.toLocaleString(i18n.language, { maximumFractionDigits: 2 })
  const isEnough = ratio >= least
  return (
    <Text component="div">
      {name}: {number(ratio)} : 1{' '}
      <Status tone={isEnough ? 'good' : 'bad'}>
        {isEnough ? t('readable') : t('notReadable', { least: number(least) })}
      </Status>
    </Text>
  )
}
