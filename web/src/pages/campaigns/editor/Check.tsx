/** What stands in a draft's way, what would harm it, and whom it would reach; each with the way to its place. */
import { Alert, Button, Drawer, Group, Loader, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { DraftPreflight } from '../../../../../src/contract/workspace/drafts.ts'
import { useAct } from '../../../api/use-ask.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { Icon } from '../../../parts/Icon.tsx'
import { Status } from '../../../parts/Status.tsx'
import { useEditor } from './editor-context.ts'
import { placeOfFinding, placeOfProblem } from './find-place.ts'
import type { Spot } from './find-place.ts'
import { useSayFinding } from './tell-finding.ts'
import { useSayProblem } from './tell-problem.ts'

interface CheckProps {
  id: string
  saveNow: () => Promise<boolean>
  onShow: (spot: Spot) => void
}

export function Check({ id, saveNow, onShow }: CheckProps): ReactNode {
  const { t } = useTranslation('drafts')
  const [opened, { open, close }] = useDisclosure()
  const [saving, setSaving] = useState(false)
  const preflight = useAct('preflightDraft')
  const check = async (): Promise<void> => {
    open()
    setSaving(true)
    const isSaved = await saveNow()
    setSaving(false)
    if (isSaved) preflight.mutate({ params: { id } })
  }
  const isBusy = saving || preflight.isPending
  return (
    <>
      <Button variant="default" leftSection={<Icon name="check" size={16} />} onClick={() => void check()}>
        {t('check')}
      </Button>
      <Drawer opened={opened} onClose={close} title={t('checkTitle')} position="right" size="md">
        <Stack>
          {isBusy && (
            <Group role="status">
              <Loader size="sm" />
              <Text size="sm">{t('checking')}</Text>
            </Group>
          )}
          {!isBusy && !preflight.data && !preflight.error && <Text size="sm">{t('checkNeedsSaved')}</Text>}
          <Failure error={preflight.error} retry={() => void check()} />
          {!isBusy && preflight.data && (
            <Found
              preflight={preflight.data}
              onShow={(spot) => {
                close()
                onShow(spot)
              }}
            />
          )}
          {!isBusy && (
            <Button variant="default" size="xs" leftSection={<Icon name="refresh" size={14} />} onClick={() => void check()}>
              {t('checkAgain')}
            </Button>
          )}
        </Stack>
      </Drawer>
    </>
  )
}

interface Line {
  id: string
  tone: 'bad' | 'warning' | 'good'
  text: string
  spot: Spot | null
}

const tones = { problem: 'bad', warning: 'warning', ok: 'good' } as const
const order = ['bad', 'warning', 'good']

function Found({ preflight, onShow }: { preflight: DraftPreflight; onShow: (spot: Spot) => void }): ReactNode {
  const { t, i18n } = useTranslation('drafts')
  const { typed, blocks } = useEditor()
  const sayProblem = useSayProblem()
  const sayFinding = useSayFinding()
  const { problems, findings, audience } = preflight
  const lines: Line[] = [
    ...problems.map((problem) => ({
      id: `${problem.path} ${problem.rule}`,
      tone: 'bad' as const,
      text: sayProblem(problem),
      spot: placeOfProblem(problem, blocks),
    })),
    // That it is unfinished is said by what is missing.
    ...findings
      .filter(({ check }) => check !== 'content')
      .map((finding) => ({
        id: JSON.stringify(finding),
        tone: tones[finding.status],
        text: sayFinding(finding),
        spot: finding.status === 'ok' ? null : placeOfFinding(finding, typed, blocks),
      })),
  ].toSorted((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone))
  const bad = lines.filter(({ tone }) => tone === 'bad').length
  return (
    <Stack gap="sm">
      <Alert color={bad > 0 ? 'red' : 'teal'} role="status" title={bad > 0 ? t('checkBad', { count: bad }) : t('checkGood')}>
        {t('checkReach', { count: audience.reachable, number: audience.reachable.toLocaleString(i18n.language) })}
      </Alert>
      <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {lines.map(({ id, tone, text, spot }) => (
          <li key={id} data-finding={tone}>
            <Group gap="xs" wrap="nowrap" align="flex-start" justify="space-between">
              <Stack gap={2} align="flex-start" miw={0}>
                <Status tone={tone}>{t(`finding_${tone}`)}</Status>
                <Text size="sm">{text}</Text>
              </Stack>
              {spot && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  flex="none"
                  onClick={() => onShow(spot)}
                  aria-label={t('showWhere', { what: text })}
                >
                  {t('show')}
                </Button>
              )}
            </Group>
          </li>
        ))}
      </Stack>
    </Stack>
  )
}
