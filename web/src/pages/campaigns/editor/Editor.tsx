/**
 * The user edits a draft here, with its preview beside it; the editor saves by itself, checks the
 * draft and sends tests.
 */
import { Button, Paper, SegmentedControl, Stack, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Draft } from '../../../../../src/contract/workspace/drafts.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { useGo } from '../../../parts/links.tsx'
import { Page } from '../../../parts/Page.tsx'
import { useFilter } from '../../../parts/use-filter.ts'
import { InternalNote } from '../InternalNote.tsx'
import { AudienceField } from './AudienceField.tsx'
import { readBlocks } from './blocks.ts'
import { Check } from './Check.tsx'
import { Content } from './Content.tsx'
import { currentProblems } from './current-problems.ts'
import classes from './Editor.module.css'
import { BlockContext, EditorContext, type EditorParts } from './editor-context.ts'
import { goTo, readSpot, type Spot } from './find-spot.ts'
import { Lines } from './Lines.tsx'
import { Preview } from './Preview.tsx'
import { Conflict, SaveState } from './Saving.tsx'
import { useBlockActs } from './use-block-acts.ts'
import { useDraftSaver } from './use-draft-saver.ts'
import { TestSend } from './TestSend.tsx'

export function Editor({ draft, back }: { draft: Draft; back: { to: string; label: string } }) {
  const { t } = useTranslation('drafts')
  const { keeper, state } = useDraftSaver(draft)
  const { typed, checked } = state
  const go = useGo()
  const { data: choices } = useAsk('listDraftChoices')
  const [pane, setPane] = useState<'write' | 'preview'>('write')
  const isWide = useMediaQuery('(min-width: 75em)', true)
  const blocks = useMemo(() => readBlocks(typed.content), [typed.content])
  const problems = useMemo(
    () => currentProblems({ problems: state.problems, checked, typed }),
    [state.problems, checked, typed],
  )
  const changeBlocks: EditorParts['changeBlocks'] = (change) =>
    keeper.change({ content: change(readBlocks(keeper.state().typed.content)) })
  const acts = useBlockActs(blocks, changeBlocks)
  const parts: EditorParts = {
    ...{ typed, blocks, problems, changeBlocks },
    ...acts,
    fields: choices?.fields ?? [],
    change: keeper.change,
  }
  const show = (spot: Spot): void => {
    if ('page' in spot) return void go(spot.page)
    setPane('write')
    if ('block' in spot) acts.choose(spot.block)
    // The browser draws the place first.
    window.setTimeout(() => goTo(spot), 50)
  }
  const [requested, forget] = useFilter('show')
  useEffect(() => {
    const spot = readSpot(requested)
    if (!spot) return
    show(spot)
    forget('')
    // The editor leads a reader who comes by such an address there once.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  const goOn = async (): Promise<void> => {
    if (await keeper.saveNow()) void go(`campaigns/${draft.id}`)
  }
  return (
    <EditorContext value={parts}>
      <BlockContext value={parts}>
        <Page
          title={typed.name || t('draft')}
          // On a line of its own: it changes with every word, and nothing beside it is to move.
          about={<SaveState state={state} onRetry={() => void keeper.saveNow()} />}
          back={back}
          actions={
            <>
              <TestSend id={draft.id} state={state} saveNow={keeper.saveNow} />
              <Check id={draft.id} saveNow={keeper.saveNow} onShow={show} />
              <Button rightSection={<Icon name="next" size={16} />} onClick={() => void goOn()}>
                {t('goOn')}
              </Button>
            </>
          }
        >
          {!isWide && (
            <SegmentedControl
              aria-label={t('panes')}
              data={(['write', 'preview'] as const).map((value) => ({ value, label: t(value) }))}
              value={pane}
              onChange={setPane}
            />
          )}
          <div className={classes.panes}>
            {(isWide || pane === 'write') && (
              <Stack gap="lg" miw={0}>
                <Lines />
                <AudienceField id={draft.id} />
                <Content />
                <Paper>
                  <InternalNote id={draft.id} />
                </Paper>
              </Stack>
            )}
            {(isWide || pane === 'preview') && (
              <aside className={classes.look} aria-label={t('preview')}>
                <Preview id={draft.id} version={state.version} isSaved={state.phase === 'saved'} />
              </aside>
            )}
          </div>
          <Conflict state={state} keeper={keeper} />
          <VisuallyHidden aria-live="assertive">{acts.announcement}</VisuallyHidden>
        </Page>
      </BlockContext>
    </EditorContext>
  )
}
