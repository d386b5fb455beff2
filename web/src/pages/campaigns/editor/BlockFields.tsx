/** The inputs of each kind of block take its words and its link. */
import { NumberInput, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './BlockList.module.css'
import type { Block } from './blocks.ts'
import { ImageField } from './ImageField.tsx'
import { AddressField, MergeField } from './MergeField.tsx'
import { RichText } from './RichText.tsx'
import { useChange } from './editor-context.ts'

/** `children`: its columns. */
export function BlockFields({ block, children }: { block: Block; children: ReactNode }) {
  const { t } = useTranslation('drafts')
  const change = useChange(block)
  const label = t(`block_${block.type}`)
  switch (block.type) {
    case 'paragraph':
    case 'quote':
    case 'heading':
      return (
        <RichText
          label={label}
          blockStyle={block.type}
          level={block.level ?? 1}
          lines={[block.text ?? '']}
          onChange={([text = '']) => change({ text })}
        />
      )
    case 'list':
      return (
        <RichText
          label={label}
          blockStyle={block.ordered ? 'ordered' : 'bullets'}
          lines={block.items ?? ['']}
          onChange={(items) => change({ items })}
        />
      )
    case 'image':
      return <ImageField block={block} change={change} />
    case 'button':
      return (
        <>
          <MergeField
            label={t('buttonText')}
            value={block.text ?? ''}
            onChange={(text) => change({ text })}
          />
          <AddressField
            label={t('leadsTo')}
            value={block.href ?? ''}
            onChange={(href) => change({ href })}
          />
        </>
      )
    case 'spacer':
      return (
        <NumberInput
          label={t('height')}
          min={1}
          max={200}
          value={block.height ?? 24}
          onChange={(height) => change({ height: Number(height) || 24 })}
          w={140}
        />
      )
    case 'html':
      return (
        <Textarea
          label={t('html')}
          minRows={4}
          maxRows={24}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={block.html ?? ''}
          onChange={(event) => change({ html: event.currentTarget.value })}
        />
      )
    case 'columns':
      return <div className={classes.columns}>{children}</div>
    case 'divider':
      return (
        <hr
          style={{
            width: '100%',
            border: 0,
            borderTop: `1px solid ${block.color ?? 'var(--line)'}`,
          }}
        />
      )
    default:
      return block.type satisfies never
  }
}
