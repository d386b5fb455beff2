/** The page lists the workspace's webhooks and the health of each. */
import { Group, Stack, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useAct, useAsk, wholeList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { useWholeTable } from '../../parts/table/use-whole-table.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { sayFailure, sayHealth } from './words.ts'

export function WebhooksPage() {
  const { t } = useTranslation('webhooks')
  const mayEdit = useMay('editor')
  const read = useAsk('listWebhookHealth', undefined, { poll: 10_000 })
  const { data } = read
  const isFull = data !== undefined && data.webhooks.length >= data.webhooks_max
  const create = mayEdit && !isFull && (
    <ButtonLink to="webhooks/new" leftSection={<Icon name="plus" size={16} />}>
      {t('create')}
    </ButtonLink>
  )
  const { search, nothing, ...table } = useWholeTable(wholeList(read, data?.webhooks), {
    textOf: ({ webhook }) => `${webhook.name} ${webhook.url}`,
    orders: { name: ({ webhook }) => webhook.name },
  })
  return (
    <Page
      title={t('title')}
      beside={<TitleTotal total={table.total} />}
      about={isFull ? t('full', { most: data.webhooks_max }) : t('about')}
      main={create}
    >
      {search}
      <Listing
        label={t('title')}
        {...table}
        columns={useColumns(data?.days ?? 7, {
          delivered: data?.counted_max ?? 0,
          troubles: data?.troubles_counted_max ?? 0,
        })}
        idOf={({ webhook }) => webhook.id}
        linkOf={({ webhook }) => `webhooks/${webhook.id}`}
        empty={nothing ?? { icon: 'webhooks', title: t('none'), action: create, why: t('noneWhy') }}
      />
      {data && data.webhooks.length > 0 && (
        <FailingRule disables={data.disables_failing} mayEdit={mayEdit} />
      )}
    </Page>
  )
}

function useColumns(
  days: number,
  max: { delivered: number; troubles: number },
): Column<WebhookHealth>[] {
  const { t, i18n } = useTranslation('webhooks')
  const say = (count: number, countedMax: number): string =>
    count >= countedMax
      ? t('atLeast', { count: count.toLocaleString(i18n.language) })
      : count.toLocaleString(i18n.language)
  return [
    {
      header: t('webhook'),
      sort: 'name',
      cell: ({ webhook }) => (
        <>
          <UserText>{webhook.name}</UserText>
          {webhook.name !== new URL(webhook.url).host && (
            <UserText variant="small">{new URL(webhook.url).host}</UserText>
          )}
        </>
      ),
    },
    {
      header: t('state'),
      cell: (health) => {
        const { tone, key } = sayHealth(health)
        return <Status tone={tone}>{t(key)}</Status>
      },
    },
    {
      header: t('deliveredDays', { days }),
      cell: ({ delivered }) => say(delivered, max.delivered),
      align: 'end',
      short: true,
    },
    {
      header: t('failedDays', { days }),
      cell: ({ failed }) => say(failed, max.troubles),
      align: 'end',
      short: true,
    },
    {
      header: t('waitingNow'),
      cell: ({ waiting }) => say(waiting, max.troubles),
      align: 'end',
      short: true,
    },
    {
      header: t('lastFailure'),
      cell: ({ last_failure: failure }) =>
        failure ? (
          <Group gap={4}>
            <UserText>{sayFailure(failure, t)}</UserText> <Moment at={failure.at} />
          </Group>
        ) : (
          <span>–</span>
        ),
    },
  ]
}

/** The switch decides whether the service disables webhooks that fail for days. */
function FailingRule({ disables, mayEdit }: { disables: boolean; mayEdit: boolean }) {
  const { t } = useTranslation('webhooks')
  const { mutate, isPending, error, variables } = useAct('updateWebhookRules', {
    refresh: ['listWebhookHealth'],
  })
  return (
    <Stack gap="xs">
      <Group>
        <Switch
          checked={isPending ? variables.body.disables_failing : disables}
          disabled={!mayEdit || isPending}
          onChange={(event) => mutate({ body: { disables_failing: event.currentTarget.checked } })}
          label={t('ruleLabel')}
          description={t('ruleWhy')}
        />
      </Group>
      <Failure error={error} />
    </Stack>
  )
}
