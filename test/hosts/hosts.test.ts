/** Opens inside/hosts.ts where namespaces can be made. */
import { runInHosts } from './namespaces.ts'

runInHosts('inside/hosts.ts')
