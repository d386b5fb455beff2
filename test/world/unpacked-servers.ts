/** Where fetch-servers.sh unpacks, unless told. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const unpackedServers = process.env['FACTEUR_MAIL_SERVERS'] ?? join(tmpdir(), 'facteur-mail-servers')
