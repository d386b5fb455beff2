// Builds the pages of the workspace, where they are missing or stale.
import { launch } from './launch.mjs'

await launch({ development: false, pages: true })
