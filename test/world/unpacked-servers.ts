/** The folder into which fetch-servers.sh unpacks by default. */
import { join } from 'node:path'
import { diskFolder } from '../support/temporary-folder.ts'

export const unpackedServers =
  process.env['FACTEUR_MAIL_SERVERS'] ?? join(diskFolder(), 'facteur-mail-servers')
