// Registration, re-discovery and preview.
import { z } from 'zod'
import type { register } from '../contract/admin/register.ts'
import { RegistrationPayload } from '../contract/registration.ts'
import type { Registration } from '../operations/backends/registration.ts'
import { unknownFields } from '../operations/backends/unknown-fields.ts'
import type { Handlers } from './mount.ts'

export function registerHandlers(
  registration: Registration,
): Pick<Handlers<typeof register>, 'register' | 'schema' | 'rediscover' | 'preview'> {
  // Refinements say nothing a schema can hold; the names' patterns are in it.
  const schema = z.toJSONSchema(RegistrationPayload, { io: 'input', unrepresentable: 'any' })
  return {
    register: ({ body: { keepCredential, ...payload } }, context) =>
      registration.register(context, payload, {
        warnings: unknownFields(context.request.body, ['keepCredential']),
        keepCredential,
      }),
    schema: () => ({ ...schema }),
    rediscover: ({ params, body }, context) =>
      registration.rediscover(context, params.name, body.dryRun, body.keepCredential),
    preview: ({ body }, context) => registration.preview(context.actor, body, unknownFields(context.request.body)),
  }
}
