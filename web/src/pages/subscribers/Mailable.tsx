/** Shows whether this contact can get mail: the answer at a glance, and the result of each rule. */
import { Card, Collapse, Group, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { MailRule } from '../../../../src/contract/workspace/contacts.ts'
import { Section } from '../../parts/Section.tsx'
import { Status } from '../../parts/Status.tsx'
import { MailRuleRow } from './MailRuleRow.tsx'
import classes from './rows.module.css'
import type { KnownContact } from './words.ts'

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
    <Card withBorder p={0}>
      {blocking.length > 0 && (
        <Stack component="ul" gap={0} m={0} p={0} aria-label={t('blockingRules')}>
          {blocking.map((rule) => (
            <MailRuleRow key={rule.rule} rule={rule} email={email} />
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
            <MailRuleRow key={rule.rule} rule={rule} email={email} />
          ))}
        </Stack>
      </Collapse>
    </Card>
  )
}

function Answer({ what, can }: { what: string; can: boolean }) {
  const { t } = useTranslation('subscribers')
  return (
    <Card withBorder p="md">
      <Group justify="space-between" wrap="nowrap">
        <Text size="md" fw={550}>
          {what}
        </Text>
        <Status tone={can ? 'good' : 'bad'}>{can ? t('can') : t('cannot')}</Status>
      </Group>
    </Card>
  )
}
