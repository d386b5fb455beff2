/** Which campaigns still use what a draft is for: its segments and its topic. */
import { fragment } from '../../database/client/fragment.ts'

/** Of a row of `campaign`: a draft, or one whose freeze may still be undone. */
export const mayBecomeDraft = fragment`(status in ('draft', 'scheduled')
      or status = 'sending' and held_until > (select facteur_now()))`
