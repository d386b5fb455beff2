/**
 * Opens inside/lost-receiver.ts where namespaces can be made: beside the other scenarios of hosts,
 * since it mostly waits.
 */
import { runInHosts } from './namespaces.ts'

runInHosts('inside/lost-receiver.ts')
