// Registration, re-discovery and the discovery preview. Contract 4.
import { z } from 'zod'
import { DiscoveryPreview, RegisterResult, RegistrationPayload } from '../registration.ts'
import { routes } from '../route.ts'
import { KeepCredential, UpstreamAuthInput } from './clients.ts'
import { LocalService } from './local-services.ts'

/** The credential of the backend, sent to its source too. Write-only, and an admin's to set. */
const upstream_auth = UpstreamAuthInput.optional().describe('Credential for the upstream; admin only, never returned')
/** Allowed with this request, and stored with the backend where it is used. An admin without a team allows it. */
const local_service = LocalService.optional().describe('Local address and port that an admin allows for this backend')
/** What the route takes beside a registration. */
export const BESIDE_REGISTRATION = { keepCredential: KeepCredential, upstream_auth, local_service }

export const register = routes({
  register: {
    method: 'POST',
    path: '/register',
    access: 'operator',
    summary: 'Register a backend, or discover it again',
    body: RegistrationPayload.extend(BESIDE_REGISTRATION),
    reply: RegisterResult,
    bodyLimit: 'register',
    rateLimit: 'register',
    audit: ['client.register', 'client.upstream_auth.set', 'client.local_service.allow'],
    errors: [
      'SSRF_BLOCKED',
      'INVALID_URL',
      'DISCOVERY_ERROR',
      'NAME_COLLISION',
      'NOT_APPLICABLE',
      'SECRET_BOX_NOT_CONFIGURED',
      'SECRETS_PROVIDER_ERROR',
    ],
  },
  schema: {
    method: 'GET',
    path: '/register/schema',
    access: 'viewer',
    summary: 'JSON Schema of the registration payload',
    reply: z.record(z.string(), z.unknown()),
  },
  teardown: {
    method: 'DELETE',
    path: '/clients/:name',
    access: 'operator',
    summary: 'Tear down the live state of a backend; its row stays',
    audit: 'client.teardown',
    errors: ['CLIENT_NOT_FOUND'],
  },
  rediscover: {
    method: 'POST',
    path: '/admin-api/clients/:name/rediscover',
    access: 'operator',
    summary: 'Read the source of a backend again',
    body: z.strictObject({ dryRun: z.boolean().default(false), keepCredential: KeepCredential }),
    reply: RegisterResult,
    rateLimit: 'register',
    audit: 'client.rediscover',
    errors: ['CLIENT_NOT_FOUND', 'DISCOVERY_ERROR', 'SSRF_BLOCKED', 'NOT_REDISCOVERABLE', 'SECRETS_PROVIDER_ERROR'],
  },
  preview: {
    method: 'POST',
    path: '/admin-api/discovery/preview',
    access: 'operator',
    summary: 'What a registration would find; nothing is stored',
    body: RegistrationPayload.partial({ name: true }).extend({ upstream_auth, local_service }),
    reply: DiscoveryPreview,
    bodyLimit: 'register',
    rateLimit: 'register',
    // Nothing is stored but this, when the source is a local service.
    audit: 'client.local_service.allow',
    errors: [
      'SSRF_BLOCKED',
      'INVALID_URL',
      'DISCOVERY_ERROR',
      'NAME_COLLISION',
      'NOT_APPLICABLE',
      'SECRETS_PROVIDER_ERROR',
    ],
  },
})
