/** Opens inside/three-servers.ts where namespaces can be made. */
import { runInside } from './run-inside.ts'

runInside('inside/three-servers.ts')
