/** The folder into which fetch-servers.sh unpacks by default. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const unpackedServers = process.env['FACTEUR_MAIL_SERVERS'] ?? join(tmpdir(), 'facteur-mail-servers')
