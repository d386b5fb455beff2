/** The card of a block has its grip, its actions and its words, and its look while it is chosen. */
import { Collapse, Stack, Text } from '@mantine/core'
import { useRef, type KeyboardEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon, type IconName } from '../../../parts/Icon.tsx'
import { ToolButton } from '../../../parts/IconButton.tsx'
import { BlockFields } from './BlockFields.tsx'
import classes from './BlockList.module.css'
import { BlockStyle, hasStyle } from './BlockStyle.tsx'
import { drawThenFocus, gripId, useDrag } from './block-drag.tsx'
import {
  countPlaces,
  duplicateBlock,
  moveBlock,
  stepFrom,
  type Block,
  type BlockPosition,
} from './blocks.ts'
import { useBlocks, useProblemsOf, useSayProblem } from './editor-context.ts'

interface BlockCardProps {
  block: Block
  within: BlockPosition['within']
  /** Its columns. */
  children: ReactNode
}

export function BlockCard({ block, within, children }: BlockCardProps) {
  const { t } = useTranslation('drafts')
  const { chosen, choose, changeBlocks, remove } = useBlocks()
  const { drag } = useDrag()
  const isChosen = chosen === block.key
  // Another choice moves the blocks below: it waits for the mouse to go up, so that a click ends on
  // the element it began on.
  const isPressed = useRef(false)
  const press = (): void => {
    if (isPressed.current) return
    isPressed.current = true
    const release = (): void => {
      isPressed.current = false
      // The clicked element comes first. By then another block may have the focus, or this one may
      // be gone.
      window.setTimeout(() => {
        if (document.activeElement?.closest('[data-block]')?.id === `block-${block.key}`)
          choose(block.key)
      })
    }
    window.addEventListener('mouseup', release, { once: true })
  }
  const name = t(`block_${block.type}`)
  return (
    <section
      id={`block-${block.key}`}
      className={classes.card}
      data-chosen={isChosen}
      data-lifted={drag?.block.key === block.key}
      data-block={block.type}
      aria-label={name}
      onMouseDownCapture={press}
      onFocus={(event) => {
        // A click into a block within a block chooses the inner one.
        event.stopPropagation()
        if (!isChosen && !isPressed.current) choose(block.key)
      }}
    >
      <div className={classes.head}>
        <Grip block={block} within={within} />
        <span style={{ flex: 1 }} />
        {hasStyle(block) && (
          <Act
            icon="settings"
            label={t('look')}
            aria-pressed={isChosen}
            onClick={() => choose(isChosen ? null : block.key)}
          />
        )}
        <Act
          icon="copy"
          label={t('duplicate')}
          onClick={() => changeBlocks((blocks) => duplicateBlock(blocks, block.key))}
        />
        <Act icon="trash" label={t('remove')} onClick={() => remove(block.key)} />
      </div>
      <Stack gap="xs" className={classes.body}>
        <Stack gap="xs" data-fields>
          <BlockFields block={block}>{children}</BlockFields>
        </Stack>
        {hasStyle(block) && (
          <Collapse expanded={isChosen}>
            <BlockStyle block={block} />
          </Collapse>
        )}
        <Problems block={block} />
      </Stack>
    </section>
  )
}

function Act({
  icon,
  ...rest
}: {
  icon: IconName
  label: string
  'aria-pressed'?: boolean
  onClick: () => void
}) {
  return (
    <ToolButton size="md" {...rest}>
      <Icon name={icon} size={16} />
    </ToolButton>
  )
}

/**
 * A pointer drags it; by keyboard the space bar lifts it, arrows move it, the space bar puts it
 * down, Escape puts it back.
 */
function Grip({ block, within }: { block: Block; within: BlockPosition['within'] }) {
  const { t } = useTranslation('drafts')
  const { blocks, changeBlocks, announce } = useBlocks()
  const { take, lifted, lift } = useDrag()
  const isLifted = lifted?.key === block.key
  const name = t(`block_${block.type}`)
  const id = gripId(block.key)
  const { at, of } = countPlaces(blocks, block.key)
  const step = (by: 1 | -1): void => {
    const location = stepFrom(blocks, block.key, by)
    if (!location) return
    const moved = moveBlock(blocks, block.key, location)
    drawThenFocus(() => changeBlocks(() => moved), id)
    announce(t('movedTo', { name, ...countPlaces(moved, block.key) }))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const isUp = event.key === 'ArrowUp' || event.key === 'ArrowLeft'
    const isDown = event.key === 'ArrowDown' || event.key === 'ArrowRight'
    if (event.key === ' ' || event.key === 'Enter') {
      lift(isLifted ? null : { key: block.key, before: blocks })
      announce(t(isLifted ? 'putDown' : 'lifted', { name, at, of }))
    } else if (isLifted && (isUp || isDown)) step(isUp ? -1 : 1)
    else if (isLifted && event.key === 'Escape') {
      const { before } = lifted
      drawThenFocus(() => {
        lift(null)
        changeBlocks(() => [...before])
      }, id)
      announce(t('putBack', { name }))
    } else {
      // A user who tabs to another element has put the block down.
      if (event.key === 'Tab') lift(null)
      return
    }
    event.preventDefault()
  }
  return (
    <button
      type="button"
      id={id}
      className={classes.grip}
      aria-label={t(within ? 'gripInColumn' : 'grip', {
        name,
        at,
        of,
        column: (within?.column ?? 0) + 1,
      })}
      aria-describedby="blocks-help"
      aria-pressed={isLifted}
      onPointerDown={(event) => take(event, () => ({ block, isNew: false }))}
      onKeyDown={onKeyDown}
    >
      <span className={classes.dots} aria-hidden />
      {name}
    </button>
  )
}

function Problems({ block }: { block: Block }) {
  const problems = useProblemsOf(block.key)
  const say = useSayProblem()
  if (problems.length === 0) return null
  return (
    <div role="status" data-problems>
      {problems.map((problem) => (
        <Text
          key={`${problem.path} ${problem.rule}`}
          className="status-warning"
          px={8}
          py={2}
          bdrs="sm"
        >
          {say(problem)}
        </Text>
      ))}
    </div>
  )
}
