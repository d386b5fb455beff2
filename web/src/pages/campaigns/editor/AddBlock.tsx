/** The kinds of blocks: a click puts one behind the chosen block, or at the end; a drag puts it where it is let go. */
import { Button, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { BlockType } from '../../../../../src/contract/campaign-content.ts'
import { Icon } from '../../../parts/Icon.tsx'
import classes from './BlockList.module.css'
import { useDrag } from './block-drag.tsx'
import { blockTypes, insertBlock, newBlock, placeOf } from './blocks.ts'
import { useEditor } from './editor-context.ts'
import { goTo } from './find-place.ts'

/** Where one goes on from when no block is left. */
export const addFirstId = 'add-first'

export function AddBlock(): ReactNode {
  const { t } = useTranslation('drafts')
  const { blocks, changeBlocks, chosen, choose, announce } = useEditor()
  const { take } = useDrag()
  const add = (type: BlockType): void => {
    const block = newBlock(type)
    const behind = chosen === null ? null : placeOf(blocks, chosen)
    const fits = behind && (behind.within === null || type !== 'columns')
    const place = fits ? { ...behind, index: behind.index + 1 } : { within: null, index: blocks.length }
    changeBlocks((now) => insertBlock(now, place, block))
    choose(block.key)
    announce(t('added', { name: t(`block_${type}`) }))
    goTo({ block: block.key })
  }
  return (
    <Stack gap={6} role="group" aria-label={t('addBlock')}>
      <Text size="sm" fw={550}>
        {t('addBlock')}
      </Text>
      <div className={classes.kinds}>
        {blockTypes.map((type, at) => (
          <Button
            key={type}
            id={at === 0 ? addFirstId : undefined}
            size="compact-sm"
            variant="default"
            className={classes.kind}
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => add(type)}
            onPointerDown={(event) => take(event, () => ({ block: newBlock(type), isNew: true }))}
          >
            {t(`block_${type}`)}
          </Button>
        ))}
      </div>
    </Stack>
  )
}
