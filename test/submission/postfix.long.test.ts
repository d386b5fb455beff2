/** Opens with-postfix.ts where there is a Postfix. */
import { runWithPostfix } from '../world/run-inside.ts'

await runWithPostfix('../submission/with-postfix.ts')
