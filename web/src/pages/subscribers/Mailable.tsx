/** Shows whether this contact can get mail: the answer at a glance, and the result of each rule. */
import {
  Card,
  Collapse,
  Group,
  SimpleGrid,
  Stack,
  Text,
  ThemeIcon,
  UnstyledButton,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { MailRule } from '../../../../src/contract/workspace/contacts.ts'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { sayDay } from '../../parts/say-time.ts'
import { Status } from '../../parts/Status.tsx'
import { Section } from '../../parts/Section.tsx'
import classes from './rows.module.css'
import { keyOf } from '../../parts/key-of.ts'
import { type KnownContact } from './words.ts'

export function Mailable({ contact: { mailable, email } }: { contact: KnownContact }) {
  const { t } = useTranslation('subscribers')
  return (
    <Section size="h4" title={t('canBeMailed')}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Answer what={t('byCampaigns')} can={mailable.campaigns} />
        <Answer what={t('bySingle')} can={mailable.single} />
      </SimpleGrid>
      <Rules rules={mailable.rules} email={email} />
    </Section>
  )
}

/** What blocks mail is shown; the rules that let it pass are folded into one row. */
function Rules({ rules, email }: { rules: MailRule[]; email: string }) {
  const { t } = useTranslation('subscribers')
  const [opened, { toggle }] = useDisclosure()
  const id = useId()
  const passed = rules.filter(({ blocks }) => blocks === 'nothing')
  const blocking = rules.filter(({ blocks }) => blocks !== 'nothing')
  return (
    <Card withBorder padding={0}>
      {blocking.length > 0 && (
        <Stack component="ul" gap={0} m={0} p={0} aria-label={t('blockingRules')}>
          {blocking.map((rule) => (
            <Rule key={rule.rule} rule={rule} email={email} />
          ))}
        </Stack>
      )}
      {passed.length > 0 && (
        <UnstyledButton
          onClick={toggle}
          aria-expanded={opened}
          aria-controls={id}
          px="md"
          py="sm"
          w="100%"
          className={classes.row}
        >
          {t('rulesPassed', { count: passed.length })}
        </UnstyledButton>
      )}
      <Collapse expanded={opened} id={id}>
        <Stack component="ul" gap={0} m={0} p={0} aria-label={t('rules')}>
          {passed.map((rule) => (
            <Rule key={rule.rule} rule={rule} email={email} />
          ))}
        </Stack>
      </Collapse>
    </Card>
  )
}

function Answer({ what, can }: { what: string; can: boolean }) {
  const { t } = useTranslation('subscribers')
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" wrap="nowrap">
        <Text size="md" fw={550}>
          {what}
        </Text>
        <Status tone={can ? 'good' : 'bad'}>{can ? t('can') : t('cannot')}</Status>
      </Group>
    </Card>
  )
}

/** The page that mends each finding. */
const ways: Record<string, string> = {
  suspended: 'overview',
  no_domain: 'settings/domains',
  unverified: 'settings/domains',
  no_sender: 'settings/senders',
}

function Rule({
  rule: { rule, blocks, finding, since, detail },
  email,
}: {
  rule: MailRule
  email: string
}) {
  const { t, i18n } = useTranslation('subscribers')
  const way = ways[finding]
  const shown =
    detail !== null && /^\d+$/.test(detail)
      ? Number(detail).toLocaleString(i18n.language)
      : (detail ?? '')
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
          {t(`${keyOf('rule', rule)}${keyOf('', finding)}`, {
            detail: finding === 'spent' ? day(detail, i18n.language) : shown,
          })}{' '}
          {since !== null && (
            <>
              ({t('sinceWhen')} <Moment at={since} />){' '}
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

const day = (at: string | null, language: string): string =>
  at === null ? '' : sayDay(new Date(at), language)
