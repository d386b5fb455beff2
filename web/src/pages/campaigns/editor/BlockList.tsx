/** The list holds all blocks, or those of a column, with a gap before each and behind the last. */
import { Group, Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../../parts/IconButton.tsx'
import { AddFirst } from './AddBlock.tsx'
import { BlockCard } from './BlockCard.tsx'
import classes from './BlockList.module.css'
import { gapId, isGap, useDrag } from './block-drag.tsx'
import { sameList, type Block, type BlockPosition } from './blocks.ts'
import { useBlocks } from './editor-context.ts'

export function BlockList({
  blocks,
  within,
}: {
  blocks: readonly Block[]
  within: BlockPosition['within']
}) {
  const { t } = useTranslation('drafts')
  const { removed } = useBlocks()
  const removedAt =
    removed && sameList(removed.position.within, within)
      ? Math.min(removed.position.index, blocks.length)
      : null
  const label = within ? t('column', { at: within.column + 1 }) : t('blocks')
  return (
    <div className={classes.list} role="group" aria-label={label}>
      {blocks.map((block, index) => (
        <Fragment key={block.key}>
          <Gap position={{ within, index }} />
          {removedAt === index && <PutBack />}
          <BlockCard block={block} within={within}>
            {block.columns?.map((list, column) => (
              // A column is a list too.
              // oxlint-disable-next-line react/no-array-index-key
              <BlockList key={column} blocks={list} within={{ key: block.key, column }} />
            ))}
          </BlockCard>
        </Fragment>
      ))}
      <Gap position={{ within, index: blocks.length }}>
        {blocks.length === 0 && (within ? <AddFirst within={within} /> : <Text>{t('empty')}</Text>)}
      </Gap>
      {removedAt === blocks.length && <PutBack />}
    </div>
  )
}

/** The user can restore the block that was deleted last at this place. */
function PutBack() {
  const { t } = useTranslation('drafts')
  const { removed, putBack } = useBlocks()
  if (!removed) return null
  return (
    <Group gap="xs" justify="space-between" className={classes.removed}>
      <Text>{t('removed', { name: t(`block_${removed.block.type}`) })}</Text>
      <IconButton
        size="compact-sm"
        variant="subtle"
        icon="back"
        iconSize={14}
        label={t('putItBack')}
        onClick={putBack}
      />
    </Group>
  )
}

function Gap({ position: location, children }: { position: BlockPosition; children?: ReactNode }) {
  const { drag } = useDrag()
  return (
    <div
      id={gapId(location)}
      className={classes.gap}
      data-target={isGap(drag, location)}
      data-empty={Boolean(children)}
    >
      {children}
    </div>
  )
}
