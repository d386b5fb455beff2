/** The menu of a campaign in its list, and the dialogs that its acts ask by. */
import { ActionIcon, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../src/contract/workspace/campaign-run.ts'
import type { FoundCampaign } from '../../../../src/contract/workspace/drafts.ts'
import { notifyRefused } from '../../api/notify.ts'
import { readOf } from '../../api/reads.ts'
import { sayWhat } from '../../api/refusal-words.ts'
import { Icon, type IconName } from '../../parts/Icon.tsx'
import { useGo } from '../../parts/links.tsx'
import { DuplicateDialog, PlainDialog } from './run/PlainDialog.tsx'

type RowAct = 'duplicate' | 'archive' | 'delete'
export type AskAct = (campaign: FoundCampaign, act: RowAct) => void

const icons: Record<RowAct, IconName> = { duplicate: 'copy', archive: 'archive', delete: 'trash' }

/** What its status allows; the service checks again. */
const actsOf = ({ status }: FoundCampaign): RowAct[] => [
  'duplicate',
  ...(status === 'draft' || status === 'sent' ? (['archive'] as const) : []),
  ...(status === 'draft' ? (['delete'] as const) : []),
]

export function CampaignMenu({ campaign, act }: { campaign: FoundCampaign; act: AskAct }) {
  const { t } = useTranslation('drafts')
  const { t: run } = useTranslation('run')
  const go = useGo()
  const { id, name, status, recipients } = campaign
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label={t('actsOn', { name })}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {status === 'draft' && (
          <Menu.Item
            leftSection={<Icon name="edit" size={16} />}
            onClick={() => void go(`campaigns/${id}/edit`)}
          >
            {run('edit')}
          </Menu.Item>
        )}
        {recipients > 0 && (
          <Menu.Item
            leftSection={<Icon name="overview" size={16} />}
            onClick={() => void go(`campaigns/${id}/results`)}
          >
            {t('results')}
          </Menu.Item>
        )}
        {actsOf(campaign).map((each) => (
          <Menu.Item
            key={each}
            leftSection={<Icon name={icons[each]} size={16} />}
            onClick={() => act(campaign, each)}
          >
            {run(`act_${each}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

interface Question {
  run: CampaignRun
  /** Null: the dialog fades. */
  act: RowAct | null
}

/** Reads the campaign as it is now, and asks. */
export function useRowActs(): { act: AskAct; dialogs: ReactNode } {
  const { t } = useTranslation('shell')
  const queries = useQueryClient()
  const [question, setQuestion] = useState<Question | null>(null)
  const act: AskAct = ({ id }, requested) =>
    void queries
      .query({ ...readOf('getCampaignRun', { params: { id } }), staleTime: 0 })
      .then((run) => setQuestion({ run, act: requested }))
      .catch((refusal: unknown) => {
        if (refusal instanceof Error) notifyRefused(sayWhat(refusal, t))
      })
  return { act, dialogs: question && <Dialogs question={question} onChange={setQuestion} /> }
}

function Dialogs({
  question: { run, act },
  onChange,
}: {
  question: Question
  onChange: (question: Question) => void
}) {
  const close = (): void => onChange({ run, act: null })
  return (
    <>
      <DuplicateDialog run={run} opened={act === 'duplicate'} onClose={close} />
      <PlainDialog run={run} act={act === 'duplicate' ? null : act} isInList onClose={close} />
    </>
  )
}
