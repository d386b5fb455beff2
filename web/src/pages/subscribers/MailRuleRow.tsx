/** One rule that lets mail pass or blocks it: its answer, since when, and the page that mends it. */
import { Group, Text, ThemeIcon } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { MailRule } from '../../../../src/contract/workspace/contacts.ts'
import { Icon } from '../../parts/Icon.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { sayDay } from '../../parts/say-time.ts'
import classes from './rows.module.css'

/** The page that mends each finding. */
const ways: Record<string, string> = {
  suspended: 'overview',
  no_domain: 'settings/domains',
  unverified: 'settings/domains',
  no_sender: 'settings/senders',
}

export function MailRuleRow({
  rule: { rule, blocks, finding, since, detail },
  email,
}: {
  rule: MailRule
  email: string
}) {
  const { t, i18n } = useTranslation('subscribers')
  const way = ways[finding]
  const open = blocks === 'nothing'
  return (
    <Group
      component="li"
      gap="sm"
      px="md"
      py="sm"
      wrap="nowrap"
      align="flex-start"
      className={classes.row}
      display="flex"
    >
      <ThemeIcon
        variant="light"
        size={22}
        radius="xl"
        color={open ? 'teal' : 'red'}
        aria-hidden
        mt={1}
      >
        <Icon name={open ? 'check' : 'cross'} size={14} />
      </ThemeIcon>
      <div>
        <Text fw={550}>{t(keyOf('rule', rule))}</Text>
        <Text component="div">
          {sayRule({ rule, finding, detail }, t, i18n.language)}{' '}
          {since !== null && (
            <>
              ({t('sinceWhen')} <Moment at={since} exact />){' '}
            </>
          )}
          {way && <PageLink to={way}>{t('wayOut')}</PageLink>}
          {rule === 'list' && !open && (
            <PageLink to="suppression" search={{ email }}>
              {t('wayOut')}
            </PageLink>
          )}
        </Text>
        {!open && (
          <Text size="xs" c="dimmed">
            {blocks === 'everything' ? t('blocksEverything') : t('blocksCampaigns')}
          </Text>
        )}
      </div>
    </Group>
  )
}

/** The answer of a rule as a sentence. */
export function sayRule(
  { rule, finding, detail }: Pick<MailRule, 'rule' | 'finding' | 'detail'>,
  t: TFunction<'subscribers'>,
  language: string,
): string {
  const key = keyOf(keyOf('rule', rule), finding)
  const defaultValue = finding
  if (detail === null) return t(key, { detail: '', defaultValue })
  if (finding === 'spent')
    return t(key, { detail: sayDay(new Date(detail), language), defaultValue })
  return t(key, {
    detail: /^\d+$/.test(detail) ? Number(detail).toLocaleString(language) : detail,
    defaultValue,
  })
}
