/** The words and colours of a call. */
import type { TFunction } from 'i18next'
import type { ItemOf } from '../../api/use-ask.ts'
import type { Tone } from '../../parts/tone.ts'

export type RequestLine = ItemOf<'listRequests'>

export const toneOfStatus = (status: number): Tone =>
  status >= 500 ? 'bad' : status >= 400 ? 'warning' : 'good'

/** Tenths of a millisecond say nothing where there are many. */
export const sayDuration = (ms: number, t: TFunction<'requests'>): string =>
  t('milliseconds', { value: ms < 10 ? ms : Math.round(ms) })

/** What a list calls it. */
export const nameRequest = ({ operation, mcp }: RequestLine, t: TFunction<'requests'>): string =>
  operation ?? t(mcp ? 'mcpMessage' : 'unknownAddress')
