/**
 * The content is blocks, plain text or HTML. The draft also stores the text of the two other kinds.
 */
import { Alert, Paper, SegmentedControl, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignKind } from '../../../../../src/contract/campaign-fields.ts'
import { Blocks } from './Blocks.tsx'
import { makeKey, type Block } from './blocks.ts'
import { useEditor, useSayProblem } from './editor-context.ts'
import { writeInline } from './inline-format.ts'
import { MergeField } from './MergeField.tsx'
import { ways } from './ways.ts'

export function Content() {
  const { t } = useTranslation('drafts')
  const { typed, blocks, change } = useEditor()
  const { kind } = typed
  const turnTo = (way: CampaignKind): void =>
    change({
      kind: way,
      // Plain text becomes blocks when the draft has none yet.
      ...(way === 'content' &&
        kind === 'text' &&
        blocks.length === 0 && { content: blocksOf(typed.text) }),
    })
  return (
    <Paper id="field-content" tabIndex={-1}>
      <Stack>
        <SegmentedControl
          aria-label={t('way')}
          data={ways.map((value) => ({ value, label: t(`way_${value}`) }))}
          value={kind}
          onChange={turnTo}
        />
        <Apart />
        <ContentProblems />
        {kind === 'content' && <Blocks />}
        {kind !== 'content' && (
          <MergeField
            key={kind}
            label={t(kind)}
            description={t(`${kind}Why`)}
            value={typed[kind]}
            rows={kind === 'text' ? 14 : 18}
            isCode={kind === 'html'}
            withAddresses
            onChange={(words) => change({ [kind]: words })}
          />
        )}
      </Stack>
    </Paper>
  )
}

/**
 * A campaign sends one kind: another kind begins empty, and the draft stores the previous one
 * without sending it.
 */
function Apart() {
  const { t, i18n } = useTranslation('drafts')
  const { typed, blocks } = useEditor()
  const isWritten = {
    content: blocks.length > 0,
    text: typed.text.trim() !== '',
    html: typed.html.trim() !== '',
  }
  const others = ways
    .filter((way) => way !== typed.kind && isWritten[way])
    .map((way) => t(`way_${way}`))
  const list = new Intl.ListFormat(i18n.language).format(others)
  return (
    <Text c="dimmed" mt={-8} role="status">
      {t('waysApart')} {others.length > 0 && <strong>{t('waysKept', { ways: list })}</strong>}
    </Text>
  )
}

/** Shows the problems of the content as a whole; each block shows its own. */
function ContentProblems() {
  const { problems, typed } = useEditor()
  const say = useSayProblem()
  const own = problems.filter(
    ({ path, block, rule }) => block === null && path === typed.kind && rule !== 'required',
  )
  if (own.length === 0) return null
  return (
    <Alert color="yellow" role="status">
      {own.map((problem) => (
        <Text key={`${problem.rule} ${problem.value}`}>{say(problem)}</Text>
      ))}
    </Alert>
  )
}

/** The mail reads plain text so: a blank line divides paragraphs, `# ` makes a heading. */
function blocksOf(text: string): Block[] {
  const words = (part: string): string =>
    writeInline([{ text: part, bold: false, italic: false, href: null }])
  return text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== '')
    .map((part): Block => {
      const heading = /^# +(\S.*)$/.exec(part.trim())?.[1]
      if (heading !== undefined) return { key: makeKey(), type: 'heading', text: words(heading) }
      return { key: makeKey(), type: 'paragraph', text: words(part.trim()) }
    })
}
