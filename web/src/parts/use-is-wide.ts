/** Whether the window is wider than a phone: the menu stands at the side from here on (`sm`). */
import { useMediaQuery } from '@mantine/hooks'

export const useIsWide = (): boolean =>
  useMediaQuery('(min-width: 48em)', undefined, { getInitialValueInEffect: false })
