/** Serves the paths of Resend beside the API, as the program does. */
import type { Service } from '../../src/core/context.ts'
import type { ServeOptions } from '../../src/entrypoints/api/serve.ts'
import { addResendRoutes } from '../../src/entrypoints/resend/add-resend-routes.ts'

export const resendEntryPoints = (service: Service): Partial<ServeOptions> => ({
  addRoutes: (_server, _answerPage, entryPoints) => addResendRoutes(entryPoints, service),
})
