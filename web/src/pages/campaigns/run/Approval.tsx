/**
 * The section says who asked for the approval of a campaign, who gave it and for how many, or why
 * it is void; a colleague approves here.
 */
import { Alert, Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignApproval } from '../../../../../src/contract/workspace/approval-schema.ts'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { useAct } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { ConfirmButton } from '../../../parts/Confirm.tsx'
import { Failure } from '../../../parts/Failure.tsx'
import { Icon } from '../../../parts/Icon.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { PaperSection } from '../../../parts/Section.tsx'
import { useFigures } from './use-figures.ts'
import { useNeedsApproval } from './use-needs-approval.ts'

export function Approval({ run }: { run: CampaignRun }) {
  const { t } = useTranslation('run')
  const needed = useNeedsApproval(run)
  const { approval } = run
  if (approval === null || (approval.state === 'none' && !needed)) return null
  const { state } = approval
  const isVoid = state === 'changed' || state === 'approver_left'
  return (
    <PaperSection title={t('approval')}>
      {isVoid && (
        <Alert color="yellow" icon={<Icon name="warning" />} role="note" title={t('approvalVoid')}>
          {t(`approvalVoid_${state}`)}
        </Alert>
      )}
      {state === 'none' && <Demanded above={approval.above ?? 0} />}
      <Who approval={approval} />
      {state === 'asked' && !run.unfinished && <Decision run={run} approval={approval} />}
      {state !== 'none' && !isVoid && <Withdraw run={run} />}
    </PaperSection>
  )
}

function Demanded({ above }: { above: number }) {
  const { t } = useTranslation('run')
  const { count } = useFigures()
  return <Text>{t('approvalDemanded', { count: above, n: count(above) })}</Text>
}

function Who({ approval }: { approval: CampaignApproval }) {
  const { t } = useTranslation('run')
  const { count } = useFigures()
  const { recipients, asked_by: asker, approved_by: approver } = approval
  const of = { count: recipients ?? 0, n: count(recipients ?? 0) }
  return (
    <>
      {asker !== null && (
        <Text style={{ overflowWrap: 'anywhere' }}>
          {t('approvalAskedBy', { ...of, who: asker })} <Moment at={approval.asked_at} exact />
        </Text>
      )}
      {approver !== null && (
        <Text style={{ overflowWrap: 'anywhere' }}>
          {t('approvalApprovedBy', { who: approver })} <Moment at={approval.approved_at} exact />
        </Text>
      )}
      {approval.state === 'approved' && (
        <Text c="dimmed">{t('approvalHolds', { percent: approval.growth_percent })}</Text>
      )}
    </>
  )
}

function Decision({ run, approval }: { run: CampaignRun; approval: CampaignApproval }) {
  const { t } = useTranslation('run')
  const { count } = useFigures()
  const { obstacle, digest, recipients } = approval
  const { id, name } = run.campaign
  const { mutateAsync } = useAct('approveCampaign', {
    refresh: ['getCampaignRun', 'getCampaignReach'],
    done: t('done_approve'),
  })
  if (obstacle !== null) return <Text c="dimmed">{t(`approvalObstacle_${obstacle}`)}</Text>
  return (
    <Group>
      <ConfirmButton
        label={t('act_approve')}
        icon="check"
        variant="filled"
        title={t('ask_approve', { name })}
        onConfirm={() => mutateAsync({ params: { id }, body: { digest } })}
      >
        <Text>{t('what_approve', { count: recipients ?? 0, n: count(recipients ?? 0) })}</Text>
      </ConfirmButton>
    </Group>
  )
}

function Withdraw({ run }: { run: CampaignRun }) {
  const { t } = useTranslation('run')
  const mayEdit = useMay('editor')
  const { mutate, isPending, error } = useAct('withdrawCampaignApproval', {
    refresh: ['getCampaignRun'],
    done: t('done_withdraw'),
  })
  const { id, status } = run.campaign
  if (!mayEdit || (status !== 'draft' && status !== 'scheduled')) return null
  return (
    <>
      <Group>
        <Button
          variant="default"
          aria-busy={isPending || undefined}
          onClick={() => mutate({ params: { id } })}
        >
          {t(run.approval?.state === 'approved' ? 'act_withdrawApproval' : 'act_withdrawRequest')}
        </Button>
      </Group>
      <Failure error={error} />
    </>
  )
}
