/** Opens inside/spam-filters.ts where namespaces can be made. */
import { runInside } from './run-inside.ts'

runInside('inside/spam-filters.ts')
