/** A share of a whole in a cell: its number, and a short bar to compare it with the other rows. */
import { Group, Progress, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { None } from '../Listing.tsx'

/** From 0 to 1; null: there is no whole. */
export function Rate({ share }: { share: number | null }) {
  const { i18n } = useTranslation()
  if (share === null) return <None />
  const format = { style: 'percent', maximumFractionDigits: 1 } as const
  return (
    <Group gap={8} wrap="nowrap" component="span">
      <Text span inherit>
        {new Intl.NumberFormat(i18n.language, format).format(share)}
      </Text>
      <Progress value={share * 100} w={40} size={4} aria-hidden data-roomy-only />
    </Group>
  )
}
