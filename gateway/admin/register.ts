// Registration, re-discovery and preview.
import { z } from 'zod'
import { BESIDE_REGISTRATION, type register } from '../contract/admin/register.ts'
import { RegistrationPayload } from '../contract/registration.ts'
import type { LocalServices } from '../operations/backends/local-services.ts'
import type { Registration } from '../operations/backends/registration.ts'
import { unknownFields } from '../operations/backends/unknown-fields.ts'
import type { UpstreamAuth } from '../operations/backends/upstream-auth.ts'
import type { Handlers } from './mount.ts'

const BESIDES = Object.keys(BESIDE_REGISTRATION)

export function registerHandlers(
  registration: Registration,
  upstreamAuth: UpstreamAuth,
  localServices: LocalServices,
): Pick<Handlers<typeof register>, 'register' | 'schema' | 'rediscover' | 'preview'> {
  // Refinements say nothing a schema can hold; the names' patterns are in it.
  const schema = z.toJSONSchema(RegistrationPayload.extend({ upstream_auth: BESIDE_REGISTRATION.upstream_auth }), {
    io: 'input',
    unrepresentable: 'any',
  })
  return {
    register: async ({ body: { keepCredential, upstream_auth: auth, local_service: service, ...payload } }, context) =>
      registration.register(context, payload, {
        warnings: unknownFields(context.request.body, BESIDES),
        keepCredential,
        local: await localServices.forRequest(context, payload.name, service, 'registration'),
        ...(auth && {
          auth: {
            source: upstreamAuth.forSource(context.actor, payload, auth),
            sealed: await upstreamAuth.seal(payload.name, auth),
          },
        }),
      }),
    schema: () => ({ ...schema }),
    rediscover: ({ params, body }, context) =>
      registration.rediscover(context, params.name, body.dryRun, body.keepCredential),
    preview: async ({ body: { upstream_auth: auth, local_service: service, ...payload } }, context) =>
      registration.preview(context.actor, payload, unknownFields(context.request.body, BESIDES), {
        auth: auth && upstreamAuth.forSource(context.actor, payload, auth),
        local: await localServices.forRequest(context, payload.name, service, 'preview'),
      }),
  }
}
