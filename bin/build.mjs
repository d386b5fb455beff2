// Builds the pages of the workspace and the program, where they are missing or stale; tells the
// program's file.
import { build } from './launch.mjs'

await build()
