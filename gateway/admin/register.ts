// Registration, re-discovery, preview, teardown.
import { z } from 'zod'
import type { register } from '../contract/admin/register.ts'
import { RegistrationPayload } from '../contract/registration.ts'
import type { Backends } from '../operations/backends/backends.ts'
import type { Registration } from '../operations/backends/registration.ts'
import { unknownFields } from '../operations/backends/unknown-fields.ts'
import type { Handlers } from './mount.ts'

type Parts = { readonly registration: Registration; readonly backends: Backends }

export function registerHandlers({ registration, backends }: Parts): Handlers<typeof register> {
  // Refinements say nothing a schema can hold; the names' patterns are in it.
  const schema = z.toJSONSchema(RegistrationPayload, { io: 'input', unrepresentable: 'any' })
  return {
    register: ({ body: { keepCredential, ...payload } }, context) =>
      registration.register(context, payload, {
        warnings: unknownFields(context.request.body, ['keepCredential']),
        keepCredential,
      }),
    schema: () => ({ ...schema }),
    teardown: ({ params }, context) => backends.tearDown(context, params.name),
    rediscover: ({ params, body }, context) =>
      registration.rediscover(context, params.name, body.dryRun, body.keepCredential),
    preview: ({ body }, context) => registration.preview(context.actor, body, unknownFields(context.request.body)),
  }
}
