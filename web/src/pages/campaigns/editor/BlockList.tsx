/** A list of blocks, the whole or a column of one, with a gap before each and behind the last. */
import { Text } from '@mantine/core'
import { Fragment } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { BlockCard } from './BlockCard.tsx'
import classes from './BlockList.module.css'
import { gapId, isGap, useDrag } from './block-drag.tsx'
import type { Block, Place } from './blocks.ts'

/** A column is a list too. */
const drawList = (blocks: readonly Block[], within: Place['within']): ReactNode => (
  <BlockList key={within?.column ?? 0} blocks={blocks} within={within} />
)

export function BlockList({ blocks, within }: { blocks: readonly Block[]; within: Place['within'] }): ReactNode {
  const { t } = useTranslation('drafts')
  const label = within ? t('column', { at: within.column + 1 }) : t('blocks')
  return (
    <div className={classes.list} role="group" aria-label={label}>
      {blocks.map((block, index) => (
        <Fragment key={block.key}>
          <Gap place={{ within, index }} />
          <BlockCard block={block} within={within} drawList={drawList} />
        </Fragment>
      ))}
      <Gap place={{ within, index: blocks.length }}>{blocks.length === 0 && <Text size="sm">{t('empty')}</Text>}</Gap>
    </div>
  )
}

function Gap({ place, children }: { place: Place; children?: ReactNode }): ReactNode {
  const { drag } = useDrag()
  return (
    <div id={gapId(place)} className={classes.gap} data-target={isGap(drag, place)} data-empty={Boolean(children)}>
      {children}
    </div>
  )
}
