/** The key of the text for an act: `key.created` → `actKeyCreated`. A test holds that there is one for each. */
import type { ActName } from '../../../../src/contract/audit-actions.ts'

export const actText = (act: ActName): string =>
  `act${act.replaceAll(/(?:^|[._])(\w)/g, (_whole, letter: string) => letter.toUpperCase())}`
