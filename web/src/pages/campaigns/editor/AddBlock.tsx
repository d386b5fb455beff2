/**
 * The kinds of blocks: a click puts one behind the chosen block, or at the end; a drag puts it
 * where the user drops it.
 */
import { ActionIcon, Menu, Stack, Text, UnstyledButton } from '@mantine/core'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import type { BlockType } from '../../../../../src/contract/campaign-content.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { IconButton } from '../../../parts/IconButton.tsx'
import classes from './BlockList.module.css'
import { useDrag } from './block-drag.tsx'
import { blockTypes, insertBlock, newBlock, placeOf, type BlockPosition } from './blocks.ts'
import { useBlocks } from './editor-context.ts'
import { goTo } from './find-spot.ts'

/** The focus goes here when no block is left. */
export const addFirstId = 'add-first'

export function AddBlock() {
  const { t } = useTranslation('drafts')
  const { blocks, chosen } = useBlocks()
  const { take } = useDrag()
  const addAt = useAddAt()
  const add = (type: BlockType): void => {
    const behind = chosen === null ? null : placeOf(blocks, chosen)
    const fits = behind && (behind.within === null || type !== 'columns')
    addAt(
      type,
      fits ? { ...behind, index: behind.index + 1 } : { within: null, index: blocks.length },
    )
  }
  return (
    <Stack gap={6} role="group" aria-label={t('addBlock')}>
      <Text fw={550}>{t('addBlock')}</Text>
      <div className={classes.kinds}>
        {blockTypes.map((type, at) => (
          <IconButton
            key={type}
            id={at === 0 ? addFirstId : undefined}
            size="compact-sm"
            variant="default"
            className={classes.kind}
            icon="plus"
            iconSize={14}
            label={t(`block_${type}`)}
            onClick={() => add(type)}
            onPointerDown={(event) => take(event, () => ({ block: newBlock(type), isNew: true }))}
          />
        ))}
      </div>
    </Stack>
  )
}

/**
 * An empty column: a click anywhere in it puts a paragraph there to write in; the button in its
 * corner opens the other kinds.
 */
export function AddFirst({ within }: { within: NonNullable<BlockPosition['within']> }) {
  const { t } = useTranslation('drafts')
  const addAt = useAddAt()
  return (
    <div className={classes.first}>
      <UnstyledButton
        className={classes.write}
        aria-label={t('writeInColumn', { at: within.column + 1 })}
        onClick={() => addAt('paragraph', { within, index: 0 })}
      >
        {t('writeHere')}
      </UnstyledButton>
      <Menu returnFocus={false} withInitialFocusPlaceholder={false} shadow="md">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.kindsHere}
            aria-label={t('addToColumn', { at: within.column + 1 })}
          >
            <Icon name="plus" size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {blockTypes
            .filter((type) => type !== 'columns')
            .map((type) => (
              <Menu.Item key={type} onClick={() => addAt(type, { within, index: 0 })}>
                {t(`block_${type}`)}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}

function useAddAt(): (type: BlockType, location: BlockPosition) => void {
  const { t } = useTranslation('drafts')
  const { changeBlocks, choose, announce } = useBlocks()
  return (type, location) => {
    const block = newBlock(type)
    // Drawn at once: the next key that the user presses belongs to the block.
    flushSync(() => {
      changeBlocks((now) => insertBlock(now, location, block))
      choose(block.key)
      announce(t('added', { name: t(`block_${type}`) }))
    })
    goTo({ block: block.key })
  }
}
