/** All that is known of one address, as the contract answers it. */
import type { Got } from '../../api/client.ts'

export type KnownContact = Got<'getContact'>
