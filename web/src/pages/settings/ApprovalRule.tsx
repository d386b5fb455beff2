/**
 * Owners choose here from how many recipients on a second member must approve a campaign; the
 * section says so where nobody could.
 */
import { Alert, NumberInput, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ApprovalRuleAnswer } from '../../../../src/contract/workspace/approval-rule.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Form } from '../../parts/Form.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { useForm } from '../../parts/use-form.ts'
import { OnlyOwners } from './OnlyOwners.tsx'

/** Stands in the field where an owner turns the rule on. */
const aboveAtFirst = 1_000

export function ApprovalRule() {
  const { t } = useTranslation('settings')
  const read = useAsk('getApprovalRule')
  return (
    <PaperSection title={t('approval')} about={t('approvalAbout')} size="h2" gap="md">
      <Loaded of={read} height={160}>
        {(rule) => <Fields key={JSON.stringify(rule)} rule={rule} />}
      </Loaded>
    </PaperSection>
  )
}

function Fields({ rule }: { rule: ApprovalRuleAnswer }) {
  const { t } = useTranslation('settings')
  const mayChange = useMay('owner')
  const { mutateAsync } = useAct('updateApprovalRule', {
    refresh: ['getApprovalRule', 'getCampaignRun'],
    done: t('saved'),
  })
  const initial = {
    demanded: rule.above !== null,
    above: rule.above ?? aboveAtFirst,
    growth_percent: rule.growth_percent,
  }
  const form = useForm(initial, ({ demanded, above, growth_percent }) =>
    mutateAsync({ body: { above: demanded ? above : null, growth_percent } }),
  )
  const { demanded, above, growth_percent: growth } = form.values
  const number = { allowDecimal: false, allowNegative: false, min: 0, disabled: !mayChange }
  return (
    <Form
      form={form}
      verb={mayChange ? t('approvalSave') : null}
      button="start"
      maw={560}
      // Without its number the rule would be stored as none.
      disabled={Number.isNaN(above + growth)}
      noValidate
    >
      <OnlyOwners />
      <Switch
        label={t('approvalDemanded')}
        description={t('approvalDemandedWhy')}
        checked={demanded}
        onChange={(event) => form.set({ demanded: event.currentTarget.checked })}
        disabled={!mayChange}
      />
      {demanded && (
        <>
          <NumberInput
            label={t('approvalAbove')}
            {...number}
            value={shownOf(above)}
            onChange={(value) => form.set({ above: numberOf(value) })}
          />
          <NumberInput
            label={t('approvalGrowth')}
            description={t('approvalGrowthWhy')}
            {...number}
            max={100}
            value={shownOf(growth)}
            onChange={(value) => form.set({ growth_percent: numberOf(value) })}
          />
          {rule.approvers < 2 && (
            <Alert color="yellow" icon={<Icon name="warning" />} title={t('approvalNobody')}>
              {t('approvalNobodyWhat')}{' '}
              <PageLink to="settings/members" underline="always">
                {t('approvalInvite')}
              </PageLink>
            </Alert>
          )}
        </>
      )}
    </Form>
  )
}

/** A cleared field stays empty: a 0 in it would stand behind the next number that is typed. */
const numberOf = (shown: number | string): number => (shown === '' ? Number.NaN : Number(shown))
const shownOf = (value: number): number | string => (Number.isNaN(value) ? '' : value)
