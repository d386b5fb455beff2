/**
 * The next step of a campaign is a button, and a menu holds the other acts. Each act but a pause
 * asks before it acts.
 */
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  CampaignRun,
  CampaignRunAction,
} from '../../../../../src/contract/workspace/campaign-run.ts'
import { useMay } from '../../../api/use-role.ts'
import { Dialog } from '../../../parts/FormDialog.tsx'
import { Icon, type IconName } from '../../../parts/Icon.tsx'
import { ButtonLink } from '../../../parts/links.tsx'
import { AskForApproval } from './AskForApproval.tsx'
import { DuplicateDialog, PlainDialog, isPlainAct } from './PlainDialog.tsx'
import { ScheduleQuestion } from './ScheduleQuestion.tsx'
import { SendQuestion } from './SendQuestion.tsx'
import { useNeedsApproval } from './use-needs-approval.ts'
import { usePause } from './use-pause.ts'

const icons: Record<CampaignRunAction, IconName> = {
  ...{
    send: 'send',
    schedule: 'clock',
    unschedule: 'cross',
    undo: 'back',
    resume: 'play',
    pause: 'pause',
    cancel: 'cross',
  },
  ...{ retry: 'refresh', release: 'send', duplicate: 'copy', archive: 'archive', delete: 'trash' },
}

/** These stand beside the title; the menu has the rest. */
const prominent = new Set<CampaignRunAction>([
  'send',
  'schedule',
  'unschedule',
  'undo',
  'resume',
  'pause',
  'retry',
  'release',
])
/** They need an approval where the workspace demands one. */
const approved = new Set<CampaignRunAction>(['send', 'schedule', 'retry', 'release'])
const primary = new Set<CampaignRunAction>(['send', 'resume', 'undo'])

export function Acts({ run }: { run: CampaignRun }) {
  const { t } = useTranslation('run')
  const mayEdit = useMay('editor')
  const [open, setOpen] = useState<CampaignRunAction | null>(null)
  const close = (): void => setOpen(null)
  const { id, name, status } = run.campaign
  const { pause, pausing } = usePause(id)
  const needsApproval = useNeedsApproval(run)
  if (!mayEdit) return null
  const beside = run.acts.filter(
    (act) => prominent.has(act) && !(needsApproval && approved.has(act)),
  )
  const others = run.acts.filter((act) => !prominent.has(act))
  return (
    <>
      {status === 'draft' && (
        <ButtonLink
          to={`campaigns/${id}/edit`}
          variant="default"
          leftSection={<Icon name="edit" size={16} />}
        >
          {t('edit')}
        </ButtonLink>
      )}
      {needsApproval && <AskForApproval run={run} />}
      {beside.map((act) => (
        <Button
          // One of these two replaces the other, and the focus stays.
          key={act === 'resume' ? 'pause' : act}
          variant={primary.has(act) ? 'filled' : 'default'}
          leftSection={<Icon name={icons[act]} size={16} />}
          // A disabled button would lose the focus.
          aria-busy={(act === 'pause' && pausing) || undefined}
          onClick={() => (act === 'pause' ? pause() : setOpen(act))}
        >
          {t(act === 'schedule' && status === 'scheduled' ? 'reschedule' : `act_${act}`)}
        </Button>
      ))}
      {others.length > 0 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Tooltip label={t('more')}>
              <ActionIcon variant="default" size={36} aria-label={t('more')}>
                <Icon name="more" />
              </ActionIcon>
            </Tooltip>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map((act) => (
              <Menu.Item
                key={act}
                leftSection={<Icon name={icons[act]} size={16} />}
                onClick={() => setOpen(act)}
              >
                {t(`act_${act}`)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <Dialog opened={open === 'send'} onClose={close} title={t('ask_send', { name })} size="lg">
        <SendQuestion run={run} onClose={close} />
      </Dialog>
      <Dialog opened={open === 'schedule'} onClose={close} title={t('ask_schedule', { name })}>
        <ScheduleQuestion run={run} onClose={close} />
      </Dialog>
      <DuplicateDialog run={run} opened={open === 'duplicate'} onClose={close} />
      <PlainDialog
        run={run}
        act={open !== null && isPlainAct(open) ? open : null}
        onClose={close}
      />
    </>
  )
}
