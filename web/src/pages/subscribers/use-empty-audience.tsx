/** What the list says where it is empty: nobody matches, or the three ways to the first subscribers. */
import { Card, SimpleGrid, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Icon, type IconName } from '../../parts/Icon.tsx'
import type { EmptyList } from '../../parts/Listing.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { noConditions } from './use-conditions.ts'

export function useEmptyAudience({
  mayEdit,
  isSet,
}: {
  mayEdit: boolean
  isSet: boolean
}): EmptyList {
  const { t } = useTranslation('subscribers')
  const change = useChangeFilters()
  if (isSet) {
    const nothing = { q: '', status: '', segment: '', ...noConditions }
    const clear = { label: t('clearFilters'), onClick: () => change(nothing) }
    return { icon: 'search', title: t('nobodyMatches'), clear, why: t('nobodyMatchesWhy') }
  }
  if (!mayEdit) return { icon: 'subscribers', title: t('nobody'), why: t('nobodyWhy') }
  return { icon: 'subscribers', title: t('nobody'), action: <Ways /> }
}

const ways = [
  { to: 'subscribers/import', icon: 'upload', label: 'import', about: 'wayImport' },
  { to: 'settings/forms/new', icon: 'user', label: 'wayForm', about: 'wayFormWhy' },
  { to: 'settings/keys', icon: 'keys', label: 'wayApi', about: 'wayApiWhy' },
] as const satisfies { to: string; icon: IconName; label: string; about: string }[]

function Ways() {
  const { t } = useTranslation('subscribers')
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} w="100%" maw={760} mt="sm">
      {ways.map(({ to, icon, label, about }) => (
        <Card key={to} withBorder ta="center" p="md">
          <Icon name={icon} size={22} />
          <ButtonLink to={to} variant="default" my="sm">
            {t(label)}
          </ButtonLink>
          <Text c="dimmed">{t(about)}</Text>
        </Card>
      ))}
    </SimpleGrid>
  )
}
