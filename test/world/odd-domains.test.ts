/** Opens inside/odd-domains.ts where namespaces can be made. */
import { runInside } from './run-inside.ts'

runInside('inside/odd-domains.ts')
