/** These inputs set a block's side, colours and size, as far as its kind has them. */
import { ColorInput, Group, NumberInput, Select, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { BlockType } from '../../../../../src/contract/campaign-content.ts'
import { withColumns, type Block } from './blocks.ts'
import { useChange } from './editor-context.ts'

const aligned = new Set<BlockType>(['heading', 'paragraph', 'image', 'button', 'quote'])
const coloured = new Set<BlockType>(['heading', 'paragraph', 'button', 'divider', 'list', 'quote'])

export const hasStyle = ({ type }: Block): boolean =>
  aligned.has(type) || coloured.has(type) || type === 'columns'

export function BlockStyle({ block }: { block: Block }) {
  const { t } = useTranslation('drafts')
  const change = useChange(block)
  const { type } = block
  return (
    <Group gap="sm" align="flex-end" pt={4}>
      {type === 'heading' && (
        <Choice
          label={t('level')}
          data={[1, 2, 3, 4, 5, 6].map((value) => ({ value, label: String(value) }))}
          value={block.level ?? 1}
          onChange={(level) => change({ level })}
          w={90}
        />
      )}
      {aligned.has(type) && (
        <Choice
          label={t('align')}
          data={(['left', 'center', 'right'] as const).map((value) => ({
            value,
            label: t(`align_${value}`),
          }))}
          value={block.align ?? 'left'}
          onChange={(align) => change({ align })}
        />
      )}
      {coloured.has(type) && (
        <Colour label={t('color')} value={block.color} onChange={(color) => change({ color })} />
      )}
      {type === 'button' && (
        <Colour
          label={t('background')}
          value={block.background}
          onChange={(background) => change({ background })}
        />
      )}
      {type === 'image' && (
        <NumberInput
          label={t('width')}
          min={1}
          max={2000}
          size="xs"
          w={120}
          value={block.width ?? ''}
          onChange={(width) => change({ width: Number(width) || undefined })}
        />
      )}
      {type === 'list' && (
        <Switch
          label={t('ordered')}
          checked={block.ordered ?? false}
          onChange={(event) => change({ ordered: event.currentTarget.checked })}
        />
      )}
      {type === 'columns' && (
        <Choice
          label={t('columnCount')}
          data={[2, 3, 4].map((value) => ({ value, label: String(value) }))}
          value={block.columns?.length ?? 2}
          onChange={(count) => change({ columns: withColumns(block.columns ?? [], count) })}
        />
      )}
    </Group>
  )
}

interface ChoiceProps<Value extends string | number> {
  label: string
  data: { value: Value; label: string }[]
  value: Value
  onChange: (value: Value) => void
  w?: number
}

function Choice<Value extends string | number>({ onChange, w = 120, ...rest }: ChoiceProps<Value>) {
  const choose = (value: Value | null): void => {
    if (value !== null) onChange(value)
  }
  return <Select<Value> size="xs" w={w} allowDeselect={false} onChange={choose} {...rest} />
}

interface ColourProps {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** Empty means the mail's own colour, which suits dark mode too. */
function Colour({ label, value, onChange }: ColourProps) {
  const { t } = useTranslation('drafts')
  return (
    <ColorInput
      label={label}
      placeholder={t('ownColor')}
      value={value ?? ''}
      onChange={(color) => onChange(color === '' ? undefined : color)}
      format="hex"
      size="xs"
      w={150}
      withEyeDropper={false}
      popoverProps={{ withinPortal: false }}
    />
  )
}
